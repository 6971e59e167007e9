import { Buffer } from 'node:buffer';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Authenticator, Exchange, Filter, Handler, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it, vi } from 'vitest';
import { RequestGroup } from '../lifecycle/request-group.js';
import { isLongRunning } from '../request/long-running.js';
import { compileOrigins } from '../request/origin-matcher.js';
import { callHandler, createInProcessExchange, type TestCall } from '../testing/call-handler.js';
import { auditInit } from './audit-init.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { cors } from './cors.js';
import { buildHandlerChain } from './handler-chain.js';
import { httpLogging } from './http-logging.js';
import { panicRecovery } from './panic-recovery.js';
import { requestDeadline } from './request-deadline.js';
import { requestInfo } from './request-info.js';
import { cacheControl, hsts } from './response-headers.js';
import { timeout } from './timeout.js';
import { waitGroup } from './wait-group.js';
import { warningRecorder } from './warning-recorder.js';

const { logger } = createTestLogger();
const ok: Handler = () => ({ type: 'bytes', status: 200, body: Buffer.from('ok') });
const info = requestInfo(logger);
const bob: UserInfo = { name: 'bob', groups: [], extra: {} };

function as(user: UserInfo): Filter {
  return {
    name: 'as',
    wrap: (next) => (exchange) => {
      exchange.context.user = user;
      return next(exchange);
    },
  };
}

function call(filters: readonly Filter[], request: TestCall = {}, handler: Handler = ok) {
  return callHandler(buildHandlerChain(handler, [info, ...filters]), request);
}

describe('panicRecovery', () => {
  const notFound = newNotFound({ group: '', resource: 'pods' }, 'p');
  it.each<[string, unknown, object]>([
    ['a StatusError', notFound, { status: 404, headers: { 'content-type': 'application/json' } }],
    [
      'a bug',
      new TypeError('x is undefined'),
      {
        status: 500,
        body: 'This request caused apiserver to panic. Look in the logs for details.\n',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      },
    ],
  ])('responds to %s, thrown now or later', async (_, error, response) => {
    const { logger: kept, lines } = createTestLogger();
    const now: Handler = () => {
      throw error;
    };
    const later: Handler = () => Promise.reject(error);
    expect(await call([panicRecovery(kept)], {}, now)).toMatchObject(response);
    expect(await call([panicRecovery(kept)], {}, later)).toMatchObject(response);
    expect(lines.map((line) => line.error)).toEqual(error === notFound ? [] : [error, error]);
  });
});

describe('requestInfo', () => {
  it('returns 500 for an invalid path', async () => {
    expect(await callHandler(requestInfo(logger).wrap(ok), { url: '/api/v1/watch?"&<' })).toMatchObject({
      status: 500,
      body:
        'Internal Server Error: "/api/v1/watch?\\"&amp;&lt;": failed to create RequestInfo: ' +
        'unable to determine kind and namespace from url, /api/v1/watch?"&amp;&lt;\n',
    });
  });
});

describe('auditInit', () => {
  it.each([
    [{}, 'made'],
    [{ 'audit-id': '' }, 'made'],
    [{ 'Audit-ID': 'my own, <as it is>' }, 'my own, <as it is>'],
    [{ 'Audit-ID': 'café' }, 'caf\xc3\xa9'],
  ])('%j', async (headers, id) => {
    expect(await call([auditInit(() => 'made')], { headers })).toMatchObject({ headers: { 'audit-id': id } });
  });
});

describe('httpLogging', () => {
  it.each([
    ['GET', '/api/v1/namespaces/n/pods/p', 'GET'],
    ['GET', '/api/v1/pods?limit=1', 'LIST'],
    ['GET', '/api/v1/pods?watch=1', 'WATCH'],
    ['GET', '/healthz', 'GET'],
    ['POST', '/api/v1/namespaces/n/pods', 'POST'],
    ['POST', '/api/v1/namespaces/n/pods?watch=1', 'POST'],
    ['HEAD', '/api/v1/namespaces/n/pods', 'LIST'],
    ['HEAD', '/api/v1/namespaces/n/pods/p', 'GET'],
    ['HEAD', '/healthz', 'GET'],
    ['GET', '/healthz?watch=1', 'WATCH'],
    ['GET', '/api/v1/watch/pods', 'LIST'],
    ['GET', '/api/v1/namespaces/n/pods/p/log', 'CONNECT'],
    ['POST', '/api/v1/namespaces/n/pods/p/exec', 'CONNECT'],
    ['PATCH', '/api/v1/namespaces/n/pods/p', 'APPLY', 'application/apply-patch+yaml'],
    ['PATCH', '/api/v1/namespaces/n/pods/p', 'PATCH', 'application/apply-patch+yaml; charset=utf-8'],
    ['PATCH', '/api/v1/namespaces/n/pods/p', 'PATCH', 'application/apply-patch+cbor'],
  ])('%s %s: %s', async (method, url, verb, type = 'application/json') => {
    const { logger: kept, lines } = createTestLogger(3);
    const headers = { 'user-agent': 'test/1', 'content-type': type };
    await call([auditInit(() => 'i'.repeat(65)), httpLogging(kept)], { method, url, headers });
    const known = { userAgent: 'test/1', 'audit-ID': 'i'.repeat(64), srcIP: '192.0.2.1', resp: 200 };
    const fields = { verb, URI: url, latency: expect.stringMatching(/^[0-9.]+(µs|ms)$/), ...known };
    expect(lines).toEqual([{ level: 'info', message: 'HTTP', fields }]);
  });

  it.each([
    ['192.0.2.1', 4321, '192.0.2.1:4321'],
    ['2001:db8::1', 4321, '[2001:db8::1]:4321'],
  ])('shows the port of a peer: %s, %i', async (remoteAddress, remotePort, srcIP) => {
    const { logger: kept, lines } = createTestLogger(3);
    await call([auditInit(() => 'i'), httpLogging(kept)], { remoteAddress, remotePort });
    expect(lines).toMatchObject([{ fields: { srcIP } }]);
  });
});

describe('headers', () => {
  it('of cacheControl and hsts', async () => {
    const { headers } = await call([cacheControl(), hsts(['max-age=31536000', 'includeSubDomains'])]);
    expect(headers).toEqual({
      'cache-control': 'no-cache, private',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    });
  });
});

describe('waitGroup', () => {
  it('counts until the end, then only admits probes', async () => {
    const group = new RequestGroup();
    const filters = [waitGroup({ group, longRunning: isLongRunning })];
    const exchange = createInProcessExchange({ url: '/version' });
    await buildHandlerChain(ok, [info, ...filters])(exchange);
    expect(group.size).toBe(1);
    let empty = false;
    const waiting = group.wait().then(() => {
      empty = true;
    });
    expect(await call(filters, { url: '/api/v1/pods' })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'content-type': 'application/json' },
      body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"apiserver is shutting down","reason":"ServiceUnavailable","code":503}\n',
    });
    expect((await call(filters, { url: '/livez' })).status).toBe(200);
    expect(empty).toBe(false);
    exchange.finish({ status: 200, bytesWritten: 0, aborted: false });
    await waiting;
  });
});

describe('requestDeadline', () => {
  const filter = requestDeadline({ longRunning: isLongRunning, requestTimeout: 60_000, logger });
  it.each<[string, number | undefined]>([
    ['/api/v1/pods', 60_000],
    ['/api/v1/pods?timeout=5s', 5_000],
    ['/api/v1/pods?timeout=1h', 60_000],
    ['/api/v1/pods?timeout=0s', 60_000],
    ['/api/v1/pods?timeout=-5s', 60_000],
    ['/api/v1/pods?watch=true&timeout=5s', undefined],
    ['/api/v1/pods?watch=true&timeout=x', undefined],
  ])('%s', async (url, timeoutMs) => {
    let seen: Exchange | undefined;
    await call([filter], { url }, (exchange) => {
      seen = exchange;
      return ok(exchange);
    });
    const { deadline, startedAt } = seen?.context ?? { deadline: 0, startedAt: 0 };
    expect(deadline).toBe(timeoutMs === undefined ? undefined : startedAt + timeoutMs);
  });

  it('rejects an invalid duration', async () => {
    const response = await call([filter], { url: '/api/v1/pods?timeout=5' });
    expect([response.status, JSON.parse(response.body).message]).toEqual([
      400,
      'invalid timeout specified in the request URL - time: missing unit in duration "5"',
    ]);
  });
});

describe('timeout', () => {
  const filters = [
    cacheControl(),
    requestDeadline({ longRunning: isLongRunning, requestTimeout: 30, logger }),
    timeout({ logger }),
  ];

  it('returns 504 in time, without the headers of the late response', async () => {
    let aborted: unknown;
    const { bytes: _, ...response } = await call(filters, {}, async (exchange) => {
      exchange.responseHeaders.set('content-type', 'application/json');
      exchange.responseHeaders.set('etag', 'x');
      await new Promise((resolve) => exchange.signal.addEventListener('abort', resolve));
      aborted = exchange.signal.reason;
      exchange.responseHeaders.set('content-type', 'application/json');
      exchange.responseHeaders.append('vary', 'late');
      exchange.responseHeaders.delete('cache-control');
      return ok(exchange);
    });
    expect(response).toEqual({
      status: 504,
      headers: { 'cache-control': 'no-cache, private', 'content-type': 'text/plain; charset=utf-8' },
      body: '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
    });
    expect(String(aborted)).toBe('DeadlineExceeded: context deadline exceeded');
  });

  it.each([
    ['ok', undefined],
    ['panic', new Error('late')],
  ])('reports a handler that ends after the 504: %s', async (status, fault) => {
    const reported: unknown[] = [];
    const end = Promise.withResolvers<void>();
    const afterTimeout = (...report: unknown[]) => void reported.push(report);
    const { logger: kept } = createTestLogger();
    const chain = [...filters.slice(0, 2), timeout({ logger: kept, afterTimeout })];
    const response = await call(chain, {}, async (exchange) => {
      await end.promise;
      if (fault !== undefined) throw fault;
      return ok(exchange);
    });
    expect([response.status, reported]).toEqual([504, []]);
    end.resolve();
    await expect.poll(() => reported).toEqual([['timeout-handler', status]]);
  });

  it('drops a response that comes after the 504, silently', async () => {
    const { logger: kept, lines } = createTestLogger();
    const given = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const chain = [
      requestDeadline({ longRunning: isLongRunning, requestTimeout: 30, logger }),
      timeout({ logger: kept }),
    ];
    const exchange = createInProcessExchange();
    const response = await buildHandlerChain(
      async (inner) => {
        await given.promise;
        try {
          inner.responseHeaders.set('etag', 'x');
          late.resolve('set');
        } catch (error) {
          late.resolve(error);
          throw error;
        }
        return ok(inner);
      },
      [info, ...chain],
    )(exchange);
    const sent = exchange.responseHeaders.seal();
    given.resolve();
    expect([response.status, await late.promise, sent, lines]).toEqual([
      504,
      'set',
      { 'content-type': 'text/plain; charset=utf-8' },
      [],
    ]);
  });

  it('aborts a response that has begun', async () => {
    const exchange = createInProcessExchange();
    const onAbort = vi.fn();
    const chain = [info, ...filters.slice(0, 2), timeout({ logger, onAbort })];
    const response = await buildHandlerChain(ok, chain)(exchange);
    expect([response.type, exchange.aborted]).toEqual(['bytes', false]);
    await expect.poll(() => exchange.aborted).toBe(true);
    expect(onAbort.mock.calls).toEqual([[exchange]]);
  });

  it('leaves errors, and timely responses, unchanged', async () => {
    expect((await call(filters)).status).toBe(200);
    await expect(call(filters, {}, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });
});

describe('warningRecorder', () => {
  async function warned(...texts: readonly string[]) {
    const { headers } = await call([warningRecorder()], {}, (exchange) => {
      for (const text of texts) exchange.context.warnings.warn(text);
      return ok(exchange);
    });
    return [headers['warning'] ?? []].flat();
  }

  it('writes each once, quoted', async () => {
    expect(await warned('a', '', 'say "b\\c"', 'a', 'bell \u0007')).toEqual(['299 - "a"', '299 - "say \\"b\\\\c\\""']);
  });

  it('cuts none for one that cannot stand in a header', async () => {
    const texts = ['x'.repeat(300), `${'y'.repeat(5000)}\n`, 'z'.repeat(300)];
    expect(await warned(...texts)).toEqual([`299 - "${texts[0]}"`, `299 - "${texts[2]}"`]);
  });

  it('counts and cuts characters, not code units', async () => {
    const shown = async (text: string) => (await warned(text)).map((each) => Buffer.from(each, 'latin1').toString());
    expect(await shown('😀'.repeat(4_096))).toEqual([`299 - "${'😀'.repeat(4_096)}"`]);
    expect(await shown('😀'.repeat(4_097))).toEqual([`299 - "${'😀'.repeat(256)}"`]);
    expect(await shown(`a${'😀'.repeat(3_000_000)}`)).toEqual([`299 - "a${'😀'.repeat(255)}"`]);
  });

  it('cuts them when they are many', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index} `.padEnd(300, 'x'));
    const headers = await warned(...texts);
    expect(headers).toEqual(texts.slice(0, 16).map((text) => `299 - "${text.slice(0, 256)}"`));
  });
});

describe('cors', () => {
  it.each<[TestCall, number, string | undefined]>([
    [{}, 200, undefined],
    [{ headers: { Origin: 'https://a.example.com' } }, 200, 'https://a.example.com'],
    [{ headers: { Origin: 'https://a.example.com:8080' }, method: 'OPTIONS' }, 204, 'https://a.example.com:8080'],
    [{ headers: { Origin: 'https://evil.example' }, method: 'OPTIONS' }, 200, undefined],
    [{ headers: { Origin: 'https://a.example.com.evil' } }, 200, undefined],
  ])('%j', async (request, status, origin) => {
    const filter = cors(await compileOrigins(['//([a-z]+\\.)?example\\.com(:|$)']));
    const response = await call([filter], request);
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([status, origin]);
    expect(response.headers['access-control-allow-credentials']).toBe(origin === undefined ? undefined : 'true');
  });

  it('allows no origin of more than 4,096 characters', async () => {
    const isAllowed = await compileOrigins(['^x+$']);
    expect([4_096, 4_097].map((length) => isAllowed('x'.repeat(length)))).toEqual([true, false]);
  });
});

describe('authentication', () => {
  const unauthorized = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Unauthorized',
    reason: 'Unauthorized',
    code: 401,
  };
  const isBad = (): never => {
    throw new Error('invalid bearer token');
  };
  it.each<[string, Authenticator['authenticateRequest']]>([
    ['nobody is known', async () => undefined],
    ['nobody is known at once', () => undefined],
    ['a credential is bad', async () => isBad()],
    ['a credential is bad at once', isBad],
  ])('returns 401 when %s, and closes HTTP/2 connections', async (_, authenticateRequest) => {
    const filter = authentication({ authenticator: { authenticateRequest }, logger });
    const response = await call([filter], { httpVersion: '2.0' });
    expect([response.status, JSON.parse(response.body), response.headers]).toEqual([
      401,
      unauthorized,
      { 'content-type': 'application/json', connection: 'close' },
    ]);
    expect((await call([filter])).headers).toEqual({ 'content-type': 'application/json' });
  });

  it.each<[string, Authenticator['authenticateRequest']]>([
    ['at once', () => ({ user: bob, audiences: ['a'] })],
    ['after a while', async () => ({ user: bob, audiences: ['a'] })],
  ])('tells %s who it is', async (_, authenticateRequest) => {
    const filter = authentication({ authenticator: { authenticateRequest }, logger });
    let seen: unknown;
    await call([filter], { httpVersion: '2.0' }, (exchange): ApiResponse => {
      seen = [exchange.context.user, exchange.context.audiences, exchange.responseHeaders.get('connection')];
      return { type: 'bytes', status: 200, body: undefined };
    });
    expect(seen).toEqual([bob, ['a'], undefined]);
  });

  it.each([
    ['system:anonymous', []],
    ['anyone', ['dev', 'system:unauthenticated']],
  ])('closes HTTP/2 connections of %s in %j', async (name, groups) => {
    const user = { name, groups, extra: {} };
    const filter = authentication({ authenticator: { authenticateRequest: () => ({ user }) }, logger });
    expect((await call([filter], { httpVersion: '2.0' })).headers).toMatchObject({ connection: 'close' });
    expect((await call([filter])).headers).not.toHaveProperty('connection');
  });
});

describe('authorization', () => {
  const refusing = (reason: string) =>
    authorization({ authorizer: { authorize: () => ({ decision: 'NoOpinion', reason }) }, logger });
  it.each<[string, string, string, object]>([
    [
      'GET',
      '/api/v1/namespaces/n/configmaps/a',
      'configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "n"',
      { name: 'a', kind: 'configmaps' },
    ],
    [
      'GET',
      '/api/v1/configmaps',
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" at the cluster scope',
      { kind: 'configmaps' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/n/deployments/d/status',
      'deployments.apps "d" is forbidden: User "bob" cannot patch resource "deployments/status" in API group "apps" in the namespace "n"',
      { name: 'd', group: 'apps', kind: 'deployments' },
    ],
    ['GET', '/nope', 'forbidden: User "bob" cannot get path "/nope"', {}],
    ['GET', '/%3Ca%26%3E', 'forbidden: User "bob" cannot get path "/&lt;a&amp;&gt;"', {}],
  ])('%s %s', async (method, url, message, details) => {
    const response = await call([as(bob), refusing('')], { method, url });
    expect([response.status, JSON.parse(response.body), response.headers]).toEqual([
      403,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'Forbidden',
        details,
        code: 403,
      },
      { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
    ]);
    const withReason = await call([as(bob), refusing('no rule')], { method, url });
    expect(JSON.parse(withReason.body).message).toBe(`${message}: no rule`);
  });

  it('passes allowed requests, and returns 500 if the decision fails', async () => {
    const failing = new Error('webhook down');
    const allowed = { authorize: async () => ({ decision: 'Allow', reason: '', error: failing }) as const };
    const unknown = { authorize: async () => ({ decision: 'NoOpinion', reason: '', error: failing }) as const };
    expect((await call([as(bob), authorization({ authorizer: allowed, logger })])).status).toBe(200);
    expect(await call([as(bob), authorization({ authorizer: unknown, logger })], { url: '/a' })).toMatchObject({
      status: 500,
      body: 'Internal Server Error: "/a": webhook down\n',
    });
  });
});
