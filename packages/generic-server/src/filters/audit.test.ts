import { Buffer } from 'node:buffer';
import { newForbidden } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import type { AuditBackend, AuditConfig, AuditLevel } from '@apiserver/audit';
import { ADMISSION_ANNOTATIONS } from '@apiserver/endpoints-installer';
import { describe, expect, it, vi } from 'vitest';
import { isLongRunning } from '../request/long-running.js';
import { createInProcessExchange, type TestCall } from '../testing/call-handler.js';
import { audit } from './audit.js';
import { auditedRequestOf, auditInit } from './audit-init.js';
import { authentication } from './authentication.js';
import { buildHandlerChain } from './handler-chain.js';
import { panicRecovery } from './panic-recovery.js';
import { requestDeadline } from './request-deadline.js';
import { requestInfo } from './request-info.js';
import { overdue, timeout } from './timeout.js';

const { logger } = createTestLogger();
const alice: UserInfo = { name: 'alice', groups: [], extra: {} };
const ok: Handler = () => ({ type: 'bytes', status: 200, body: Buffer.from('ok') });
const POD = '/api/v1/namespaces/ns/pods/p';

interface Auditing {
  readonly level?: AuditLevel;
  readonly omitStages?: readonly string[];
  readonly process?: AuditBackend['process'];
  readonly isStrict?: boolean;
}

function auditing({ level = 'Metadata', omitStages = [], process = () => true, isStrict = true }: Auditing = {}) {
  const events: Record<string, unknown>[] = [];
  const counts = { event: 0, rejected: 0, level: [] as string[] };
  const config = {
    evaluate: () => ({ level, omitStages: new Set(omitStages), omitManagedFields: false }),
    backend: {
      name: 'test',
      isStrict,
      process: (records: Parameters<AuditBackend['process']>[0]) => {
        for (const record of records) events.push(JSON.parse(`{${record.members().map(String).join('')}}`));
        return process(records);
      },
      [Symbol.asyncDispose]: async () => {},
    },
    metrics: {
      event: () => counts.event++,
      rejected: () => counts.rejected++,
      level: (one: string) => counts.level.push(one),
      lost: () => {},
    },
  };
  return { config: config as unknown as AuditConfig, events, counts };
}

const as: Filter = {
  name: 'as',
  wrap: (next) => (exchange) => {
    exchange.context.user = alice;
    return next(exchange);
  },
};

function serve(config: AuditConfig, handler: Handler, call: TestCall = { url: POD }) {
  const exchange = createInProcessExchange(call);
  const chain = buildHandlerChain(handler, [
    auditInit(() => 'new-id', config),
    panicRecovery(logger),
    requestInfo(logger),
    as,
    audit({ audit: config, longRunning: isLongRunning, logger }),
  ]);
  return { exchange, response: Promise.resolve(chain(exchange)) };
}

const stages = (events: readonly Record<string, unknown>[]) => events.map(({ stage }) => stage);

describe('audit', () => {
  it('has an event when a request has come, and when its response is complete', async () => {
    const { config, events, counts } = auditing();
    const agent = 'a'.repeat(1_100);
    await serve(config, ok, { url: `${POD}?x=%20`, headers: { 'audit-id': 'mine', 'user-agent': agent } }).response;
    const common = {
      level: 'Metadata',
      auditID: 'mine',
      requestURI: `${POD}?x=%20`,
      verb: 'get',
      user: { username: 'alice' },
      userAgent: `${'a'.repeat(1_024)}...TRUNCATED`,
      objectRef: { resource: 'pods', namespace: 'ns', name: 'p', apiVersion: 'v1' },
    };
    expect(events).toMatchObject([
      { ...common, stage: 'RequestReceived' },
      { ...common, stage: 'ResponseComplete', responseStatus: { metadata: {}, code: 200 } },
    ]);
    expect(counts).toEqual({ event: 2, rejected: 0, level: ['Metadata'] });
  });

  it('has an event for a request that has an invalid timeout', async () => {
    const { config, events } = auditing();
    const url = `${POD}?timeout=5`;
    const deadline = requestDeadline({ longRunning: isLongRunning, requestTimeout: 60_000, logger, audit: config });
    const filters = [auditInit(() => 'id', config), requestInfo(logger), deadline];
    const response = await buildHandlerChain(ok, filters)(createInProcessExchange({ url }));
    const message = 'invalid timeout specified in the request URL - time: missing unit in duration "5"';
    const responseStatus = { metadata: {}, message, code: 400 };
    expect(response.status).toBe(400);
    expect(events).toMatchObject([
      { stage: 'ResponseStarted', requestURI: url, verb: 'get', user: {}, responseStatus },
    ]);
  });

  it('has the events of a request whose time was over when it came', async () => {
    const { config, events } = auditing();
    const exchange = createInProcessExchange({ url: `${POD}?timeout=1ns` });
    const chain = buildHandlerChain(ok, [
      auditInit(() => 'id', config),
      requestInfo(logger),
      requestDeadline({ longRunning: isLongRunning, requestTimeout: 60_000, logger, audit: config }),
      timeout({ logger }),
      as,
      audit({ audit: config, longRunning: isLongRunning, logger }),
      overdue(),
    ]);
    expect((await chain(exchange)).status).toBe(504);
    await vi.waitFor(() => expect(stages(events)).toEqual(['RequestReceived', 'ResponseComplete']), 30_000);
    expect(events[1]).toMatchObject({ user: { username: 'alice' }, responseStatus: { reason: 'Timeout', code: 504 } });
  });

  it('does nothing for a request that the policy excludes', async () => {
    const { config, events, counts } = auditing({ level: 'None' });
    const { exchange, response } = serve(config, ok);
    expect((await response).status).toBe(200);
    expect([events, counts.level, exchange.context.audit]).toEqual([[], ['None'], undefined]);
  });

  it('has an event at the begin of a watch, and one at its end', async () => {
    const { config, events } = auditing();
    const watch: Handler = () => ({ type: 'stream', status: 200, run: async () => {} });
    const { exchange, response } = serve(config, watch, { url: '/api/v1/pods?watch=1' });
    await response;
    expect(stages(events)).toEqual(['RequestReceived', 'ResponseStarted']);
    exchange.finish({ status: 200, bytesWritten: 0, aborted: true });
    expect(stages(events).at(-1)).toBe('ResponseComplete');
  });

  it.each<[string, unknown, object]>([
    [
      'a refusal',
      newForbidden({ group: '', resource: 'pods' }, 'p', new Error('no')),
      { stage: 'ResponseComplete', responseStatus: { reason: 'Forbidden', code: 403 } },
    ],
    [
      'a bug',
      new TypeError('x is undefined'),
      {
        stage: 'Panic',
        responseStatus: {
          status: 'Failure',
          reason: 'InternalError',
          code: 500,
          message: "APIServer panic'd: x is undefined",
        },
      },
    ],
  ])('has the status of %s', async (_, error, event) => {
    for (const handler of [
      () => Promise.reject(error),
      (): ApiResponse => {
        throw error;
      },
    ]) {
      const { config, events } = auditing();
      await serve(config, handler).response;
      expect(events).toHaveLength(2);
      expect(events[1]).toMatchObject(event);
    }
  });

  it('keeps a request from its handler until a strict backend has its event, and refuses it otherwise', async () => {
    let handled = 0;
    const handler: Handler = (exchange) => {
      handled++;
      return ok(exchange);
    };
    for (const process of [() => false, async () => false]) {
      const { config, counts } = auditing({ process });
      const { status, ...response } = await serve(config, handler).response;
      expect([status, counts.rejected, handled]).toEqual([500, 1, 0]);
      expect(Buffer.from((response as { body: Uint8Array }).body).toString()).toContain('failed to store audit event');
    }
    const { config } = auditing({ process: async () => false, isStrict: false });
    expect((await serve(config, handler).response).status).toBe(200);
  });

  it('keeps a response until its events are stored', async () => {
    const stored = Promise.withResolvers<boolean>();
    const { config } = auditing({ process: () => stored.promise, isStrict: false });
    let hasResponded = false;
    const { response } = serve(config, ok);
    const responded = response.then(() => {
      hasResponded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasResponded).toBe(false);
    stored.resolve(true);
    await responded;
  });

  it.each([
    ['first', 0],
    ['last', 1],
  ])('keeps a response until both events are stored, that of its receipt %s', async (_, at) => {
    const stored = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
    let calls = 0;
    const process = () => stored[calls++]?.promise ?? false;
    const { config } = auditing({ process, isStrict: false });
    let hasResponded = false;
    const responded = serve(config, ok).response.then(() => {
      hasResponded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    stored[at]?.resolve(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect([calls, hasResponded]).toEqual([2, false]);
    stored[1 - at]?.resolve(true);
    await responded;
  });

  it.each<[AuditLevel, object]>([
    ['Metadata', { a: '1', 'x/plugin': 'short' }],
    ['Request', { a: '1', 'x/plugin': 'short', 'x/patch': 'long' }],
  ])('has annotations of level %s and below, of which the first value counts', async (level, annotations) => {
    const { config, events } = auditing({ level });
    const handler: Handler = (exchange: Exchange) => {
      exchange.context.audit?.annotate('a', '1');
      exchange.context.audit?.annotate('a', '2');
      exchange.context.values.set(
        ADMISSION_ANNOTATIONS,
        new Map([
          ['x/plugin', { level: 'Metadata', value: 'short' }],
          ['x/patch', { level: 'Request', value: 'long' }],
        ]),
      );
      return ok(exchange);
    };
    await serve(config, handler).response;
    expect(events[1]).toMatchObject({ annotations });
    expect(Object.keys(events[1]?.['annotations'] ?? {})).toEqual(Object.keys(annotations).sort());
  });

  it.each([
    [600, POD, ['a', 'apiserver.latency.k8s.io/authorization', 'apiserver.latency.k8s.io/total']],
    [400, POD, ['a']],
    [600, '/api/v1/watch/pods', ['a']],
  ])('shows the latency of a request of %s ms to %s', async (milliseconds, url, keys) => {
    const { config, events } = auditing();
    const started = performance.now();
    const handler: Handler = (exchange: Exchange) => {
      exchange.context.audit?.annotate('a', '');
      exchange.context.audit?.spend('authorization', 1.5);
      vi.spyOn(performance, 'now').mockReturnValue(started + milliseconds);
      return ok(exchange);
    };
    const { exchange, response } = serve(config, handler, { url });
    await response;
    exchange.finish({ status: 200, bytesWritten: 0, aborted: false });
    vi.restoreAllMocks();
    expect(Object.keys(events.at(-1)?.['annotations'] ?? {})).toEqual(keys);
  });

  it.each([[[] as string[]], [['ResponseComplete']]])(
    'forgets the bodies of a complete response, with %j left out',
    async (omitStages) => {
      const { config, events } = auditing({ level: 'RequestResponse', omitStages });
      const json = [Buffer.from('{}')];
      const handler: Handler = (exchange) => {
        exchange.context.audit?.requestObject(Buffer.from('{}'));
        exchange.context.audit?.responseObject(json);
        return ok(exchange);
      };
      const { exchange, response } = serve(config, handler);
      await response;
      await auditedRequestOf(exchange)?.process('Panic');
      const [, ...later] = events;
      const seen = later.map((event) => [event['stage'], 'requestObject' in event, 'responseObject' in event]);
      const complete = omitStages.length > 0 ? [] : [['ResponseComplete', true, true]];
      expect(seen).toEqual([...complete, ['Panic', false, false]]);
    },
  );

  it('leaves out stages, and does not wait for them', async () => {
    const { config, events } = auditing({ omitStages: ['RequestReceived'], process: () => true });
    await serve(config, ok).response;
    expect(stages(events)).toEqual(['ResponseComplete']);
  });
});

it('has one event for a request that is not authenticated', async () => {
  const { config, events } = auditing();
  const chain = buildHandlerChain(ok, [
    auditInit(() => 'id', config),
    requestInfo(logger),
    authentication({ authenticator: { authenticateRequest: () => undefined }, logger, audit: config }),
  ]);
  const response = await chain(createInProcessExchange({ url: POD }));
  expect(response.status).toBe(401);
  expect(events).toMatchObject([
    {
      stage: 'ResponseStarted',
      user: {},
      responseStatus: { message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
    },
  ]);
});
