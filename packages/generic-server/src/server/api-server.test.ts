import { Buffer } from 'node:buffer';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  completeGenericServerConfig,
  type GenericServerConfig,
  newGenericServerConfig,
} from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { callHandler } from '../testing/call-handler.js';
import { type NewGenericServerOptions, newGenericServer } from './api-server.js';
import { newEmptyDelegate, notFoundHandler } from './not-found.js';

const alice: UserInfo = { name: 'alice', groups: ['system:authenticated'], extra: {} };

function makeServer(changes: Partial<GenericServerConfig> = {}, options: Partial<NewGenericServerOptions> = {}) {
  const { logger, lines } = createTestLogger(9);
  const config = newGenericServerConfig(newServerContext({ logger }));
  Object.assign(config, {
    authenticator: { authenticateRequest: async () => ({ user: alice }) },
    authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    ...changes,
  });
  const server = newGenericServer(completeGenericServerConfig(config), { name: 'test', ...options });
  return { server, lines };
}

const text = (body: string): ApiResponse => ({ type: 'bytes', status: 200, body: Buffer.from(body) });

describe('the chain', () => {
  it('has its filters in upstream order', () => {
    let names: string[] = [];
    const adjustFilters = (defaults: readonly Filter[]) => {
      names = defaults.map(({ name }) => name);
      return defaults;
    };
    makeServer({
      adjustFilters,
      shutdownSendRetryAfter: true,
      hstsDirectives: ['preload'],
      isAllowedOrigin: () => true,
    });
    expect(names).toEqual([
      'auditInit',
      'panicRecovery',
      'requestInfo',
      'httpLogging',
      'retryAfter',
      'hsts',
      'cacheControl',
      'watchTermination',
      'waitGroup',
      'requestDeadline',
      'timeout',
      'warningRecorder',
      'cors',
      'authentication',
      'audit',
      'impersonation',
      'maxInFlight',
      'authorization',
      // Of this server alone.
      'overdue',
    ]);
  });

  it('runs once, in the outermost server', async () => {
    let authenticated = 0;
    const metrics = new MetricsRegistry();
    const counting = {
      authenticator: {
        authenticateRequest: async () => {
          authenticated++;
          return { user: alice };
        },
      },
    };
    const inner = makeServer({ ...counting, metrics }).server;
    inner.nonGoRestfulMux.handle('/inner', () => text('inner'));
    const outer = makeServer({ ...counting, metrics }, { delegate: inner }).server;
    expect(await callHandler(outer.handler, { url: '/inner' })).toMatchObject({ status: 200, body: 'inner' });
    expect(authenticated).toBe(1);
  });
});

describe('paths', () => {
  it('lists existing paths on / and, with 404, for an unknown one', async () => {
    const { server } = makeServer();
    server.nonGoRestfulMux.handle('/mine', () => text(''));
    server.nonGoRestfulMux.handle('/hidden', () => text(''), { unlisted: true });
    server.nonGoRestfulMux.handlePrefix('/below/', () => text('below'));
    const body = JSON.stringify(
      { paths: ['/apis', '/below/', '/metrics', '/metrics/slis', '/mine', '/version'] },
      null,
      2,
    );
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
    expect(await callHandler(server.handler, { url: '/' })).toMatchObject({ status: 200, body, headers });
    expect(await callHandler(server.handler, { url: '/nope' })).toMatchObject({ status: 404, body, headers });
    expect(await callHandler(server.handler, { url: '/below/deep' })).toMatchObject({ status: 200, body: 'below' });
  });

  it('end in 404 page not found where the chain ends so', async () => {
    const { server } = makeServer({}, { delegate: newEmptyDelegate(notFoundHandler) });
    expect(await callHandler(server.handler, { url: '/nope' })).toMatchObject({
      status: 404,
      body: '404 page not found\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  });

  it('can be served by an express Router, which passes unknown paths on', async () => {
    const { server } = makeServer();
    const router = await server.nonGoRestfulMux.router();
    router.post('/form/:id', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.statusCode = 201;
        response.setHeader('X-Id', request.params['id'] ?? '');
        response.write('got ');
        response.end(Buffer.concat(chunks));
      });
    });
    expect(await callHandler(server.handler, { method: 'POST', url: '/form/7', body: 'data' })).toMatchObject({
      status: 201,
      body: 'got data',
      headers: { 'x-id': '7', 'cache-control': 'no-cache, private' },
    });
    expect(await callHandler(server.handler, { url: '/form/7' })).toMatchObject({ status: 404 });
  });

  it('can come from a source', async () => {
    const { server } = makeServer();
    server.addHandlerSource({
      handlerFor: ({ request }) => (request.path === '/found' ? () => text('found') : undefined),
      listedPaths: () => ['/found'],
    });
    expect(await callHandler(server.handler, { url: '/found' })).toMatchObject({ status: 200, body: 'found' });
    expect(server.listedPaths()).toEqual(['/apis', '/found', '/metrics', '/metrics/slis', '/version']);
  });

  it('/version says 1.36', async () => {
    const { server } = makeServer();
    const response = await callHandler(server.handler, { url: '/version' });
    expect(JSON.parse(response.body)).toMatchObject({
      major: '1',
      minor: '36',
      emulationMajor: '1',
      emulationMinor: '36',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '35',
      gitVersion: expect.stringMatching(/^v1\.36\.\d+\+/),
    });
    expect(response.body.startsWith('{\n  "major": "1",\n')).toBe(true);
    const unspeakable = await callHandler(server.handler, { url: '/version', headers: { accept: 'application/xml' } });
    expect(JSON.parse(unspeakable.body)).toMatchObject({
      code: 406,
      message: '406: Not Acceptable\n\nAvailable representations: application/json',
    });
    const refused = await callHandler(server.handler, { method: 'POST', url: '/version' });
    expect(JSON.parse(refused.body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      details: {},
      code: 405,
    });
  });
});

describe('health', () => {
  const failing = {
    name: 'etcd',
    check: () => {
      throw new Error('secret reason');
    },
  };

  it.each<[string, number, string]>([
    ['/healthz', 200, 'ok'],
    ['/readyz', 200, 'ok'],
    [
      '/livez?verbose',
      200,
      '[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd ok\nlivez check passed\n',
    ],
    ['/readyz?verbose', 200, '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n'],
    [
      '/healthz?verbose&exclude=etcd',
      200,
      '[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd excluded: ok\nhealthz check passed\n',
    ],
    ['/readyz?exclude=nope', 200, 'ok'],
    [
      '/livez?exclude=b&exclude=a&verbose',
      200,
      '[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nlivez check passed\n',
    ],
    ['/healthz/ping', 200, 'ok'],
    ['/healthz/etcd', 200, 'ok'],
  ])('%s', async (url, status, body) => {
    const { server } = makeServer({ healthChecks: [{ name: 'etcd', check: () => {} }] });
    server.prepareRun();
    expect(await callHandler(server.handler, { url })).toMatchObject({
      status,
      body,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  });

  it('only shows reasons if the check itself is requested', async () => {
    const { server, lines } = makeServer({ healthChecks: [failing] });
    server.prepareRun();
    expect(await callHandler(server.handler, { url: '/readyz' })).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
    });
    expect(await callHandler(server.handler, { url: '/readyz?exclude=etcd' })).toMatchObject({
      status: 200,
      body: 'ok',
    });
    expect(await callHandler(server.handler, { url: '/readyz/etcd' })).toMatchObject({
      status: 500,
      body: 'internal server error: secret reason\n',
    });
    expect(lines.map(({ message }) => message)).toContain('etcd check failed: readyz');
  });

  it('gathers checks and hooks of delegates, each name once', async () => {
    const inner = makeServer({ healthChecks: [failing, { name: 'inner', check: () => {} }] }).server;
    inner.addPostStartHook('inner-hook', () => {});
    const { server } = makeServer({ healthChecks: [{ name: 'etcd', check: () => {} }] }, { delegate: inner });
    server.addPostStartHook('outer-hook', () => {});
    server.prepareRun();
    expect((await callHandler(server.handler, { url: '/readyz?verbose' })).body).toBe(
      [
        '[+]ping ok',
        '[+]log ok',
        '[+]etcd ok',
        '[+]inner ok',
        '[-]poststarthook/inner-hook failed: reason withheld',
        '[-]poststarthook/outer-hook failed: reason withheld',
        '[+]shutdown ok',
        'readyz check failed',
        '',
      ].join('\n'),
    );
    expect(() => server.addPostStartHook('late', () => {})).toThrow('prepared already');
    expect(() => server.addHealthChecks(failing)).toThrow('prepared already');
  });

  it('has the hooks of the config once in a chain, before those of the servers', async () => {
    const ran: string[] = [];
    const hook = (name: string) => () => void ran.push(name);
    const config = { postStartHooks: new Map([['common', hook('common')]]) };
    const inner = makeServer(config).server;
    inner.addPostStartHook('inner', hook('inner'));
    const { server } = makeServer(config, { delegate: inner });
    server.addHealthChecks({ name: 'step', check: () => {} });
    server.addPostStartHook('outer', hook('outer'));
    server.prepareRun();
    const context = { signal: new AbortController().signal, loopbackClient: server.loopbackClient };
    for (const run of server.postStartHooks.values()) await run(context);
    expect(ran).toEqual(['common', 'inner', 'outer']);
    const { body } = await callHandler(server.handler, { url: '/livez?verbose' });
    expect(body.split('\n').slice(3, -2)).toEqual([
      '[+]poststarthook/common ok',
      '[+]poststarthook/inner ok',
      '[+]step ok',
      '[+]poststarthook/outer ok',
    ]);
  });

  it('lets /livez wait for hooks during the grace period', async () => {
    const time = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    onTestFinished(() => time.mockRestore());
    const { server } = makeServer({ livezGracePeriod: 500 });
    server.addPostStartHook('slow', () => {});
    server.prepareRun();
    const statuses = async () => [
      (await callHandler(server.handler, { url: '/livez' })).status,
      (await callHandler(server.handler, { url: '/readyz' })).status,
    ];
    expect(await statuses()).toEqual([200, 500]);
    time.mockReturnValue(1_501);
    expect(await statuses()).toEqual([500, 500]);
  });

  it('lets /livez not wait for hooks of servers behind, as upstream', async () => {
    const changes = { livezGracePeriod: 500 };
    const inner = makeServer(changes).server;
    inner.addPostStartHook('slow', () => {});
    const { server } = makeServer(changes, { delegate: inner });
    server.prepareRun();
    expect((await callHandler(server.handler, { url: '/livez' })).status).toBe(500);
  });
});

describe('metrics', () => {
  it('count with upstream names and labels', async () => {
    const { server } = makeServer();
    server.prepareRun();
    await callHandler(server.handler, { url: '/healthz' });
    const response = await callHandler(server.handler, { url: '/metrics' });
    expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/);
    expect(response.body).toContain('# TYPE apiserver_request_duration_seconds histogram\n');
    expect(response.body).toContain(
      'apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""} 1\n',
    );
    expect(response.body).toMatch(/apiserver_current_inflight_requests\{request_kind="readOnly"\} [12]\n/);
    expect(response.body).toContain('authentication_attempts{result="success"} 2\n');
    expect(response.body).toMatch(/process_start_time_seconds \d+/);
    expect(response.body).toMatch(/^kubernetes_build_info\{.*,major="1",minor="36",.*\} 1$/m);
  });
});

it('the time of authentication counts for refused requests, and that of auditing without it', async () => {
  const metrics = new MetricsRegistry();
  const authenticateRequest = async ({ request }: Exchange) =>
    request.path === '/version' ? { user: alice } : undefined;
  const { server } = makeServer({ metrics, authenticator: { authenticateRequest } });
  server.prepareRun();
  expect((await callHandler(server.handler, { url: '/version' })).status).toBe(200);
  expect((await callHandler(server.handler, { url: '/healthz' })).status).toBe(401);
  const { text } = await metrics.expose();
  const counts = [...text.matchAll(/^apiserver_request_filter_duration_seconds_count\{filter="(.*)"\} (.*)/gm)];
  expect(counts.map(([, filter, count]) => [filter, count])).toEqual([
    ['audit', '1'],
    ['authentication', '2'],
    ['authorization', '1'],
    ['constrainedimpersonation', '1'],
  ]);
});

describe('the loopback client', () => {
  it('is system:apiserver, gets values, and errors as StatusErrors', async () => {
    const seen: unknown[] = [];
    const watching: string[] = [];
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
    const api: Handler = ({ request, context }) => {
      seen.push([request.method, request.url, context.user?.name, context.user?.groups, request.inProcess?.body]);
      if (request.path.endsWith('/missing')) throw newNotFound({ group: '', resource: 'configmaps' }, 'missing');
      if (request.query.get('watch') === 'true') {
        const source = { start: () => watching.push('start'), close: () => watching.push('close') };
        return { type: 'value', status: 200, value: source };
      }
      return { type: 'value', status: 200, value: { object, resourceVersion: '1', wire: () => undefined } };
    };
    const { server } = makeServer({
      authenticator: undefined,
      adjustFilters: (defaults) => [...defaults, { name: 'api', wrap: () => api }],
    });
    const client = server.loopbackClient.resource({ group: '', version: 'v1', resource: 'configmaps' });
    expect(await client.get('n', 'a')).toBe(object);
    await client.update('n', object, { subresource: 'status', dryRun: ['All'] });
    await client.delete('n', 'a', { preconditions: { uid: 'u' } });
    const watch = await client.watch('', { labelSelector: 'a=b' });
    watch.start({ event: () => {}, end: () => {} });
    watch.close();
    const groups = ['system:authenticated', 'system:masters'];
    expect(seen).toEqual([
      ['GET', '/api/v1/namespaces/n/configmaps/a', 'system:apiserver', groups, undefined],
      ['PUT', '/api/v1/namespaces/n/configmaps/a/status?dryRun=All', 'system:apiserver', groups, object],
      [
        'DELETE',
        '/api/v1/namespaces/n/configmaps/a',
        'system:apiserver',
        groups,
        { apiVersion: 'v1', kind: 'DeleteOptions', metadata: {}, preconditions: { uid: 'u' } },
      ],
      ['GET', '/api/v1/configmaps?labelSelector=a%3Db&watch=true', 'system:apiserver', groups, undefined],
    ]);
    expect(watching).toEqual(['start', 'close']);
    await expect(client.get('n', 'missing')).rejects.toMatchObject({
      status: { code: 404, reason: 'NotFound', message: 'configmaps "missing" not found' },
    });
  });

  it('sends an apply as a patch, with its manager in the query', async () => {
    const seen: unknown[] = [];
    const api: Handler = async ({ request }) => {
      const body = Buffer.from(await request.readBody(1000)).toString();
      seen.push([request.method, request.url, request.headers.all('content-type'), body]);
      return { type: 'value', status: 200, value: applied };
    };
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const { server } = makeServer({
      authenticator: undefined,
      adjustFilters: (defaults) => [...defaults, { name: 'api', wrap: () => api }],
    });
    const client = server.loopbackClient.resource({ group: '', version: 'v1', resource: 'configmaps' });
    const options = { fieldManager: 'me', force: true, subresource: 'status' };
    expect(await client.apply('n', applied, options)).toBe(applied);
    const url = '/api/v1/namespaces/n/configmaps/a/status?fieldManager=me&force=true';
    expect(seen).toEqual([['PATCH', url, ['application/apply-patch+yaml'], JSON.stringify(applied)]]);
  });

  it('cannot be played from outside', async () => {
    const { server } = makeServer({ authenticator: undefined });
    expect(
      await callHandler(server.handler, { url: '/version', headers: { 'user-agent': 'kube-apiserver/x' } }),
    ).toMatchObject({
      status: 401,
    });
  });
});
