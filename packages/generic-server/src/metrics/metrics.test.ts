import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { describe, expect, it } from 'vitest';
import { createInProcessExchange, type TestCall } from '../testing/call-handler.js';
import { AuthenticationMetrics } from './authentication-metrics.js';
import { createEndpointMetrics } from './endpoint-metrics.js';
import { InFlightMetrics } from './in-flight-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { SliMetrics } from './sli-metrics.js';

/** Tracks one request to its end. */
function track(
  metrics: RequestMetrics,
  call: TestCall,
  { status = 200, bytesWritten = 5, aborted = false, measuresRoute = true } = {},
): void {
  const exchange = createInProcessExchange(call);
  const info = resolveRequestInfo(exchange.request);
  exchange.context.requestInfo = info;
  metrics.track(exchange, { longRunning: info.verb === 'watch', measuresRoute });
  exchange.finish({ status, bytesWritten, aborted });
}

describe('RequestMetrics', () => {
  it.each<[TestCall, string]>([
    [
      { url: '/api/v1/namespaces/n/pods/p' },
      'component="apiserver",dry_run="",group="",resource="pods",scope="resource",subresource="",verb="GET",version="v1"',
    ],
    [
      { url: '/apis/apps/v1/namespaces/n/deployments?limit=5' },
      'component="apiserver",dry_run="",group="apps",resource="deployments",scope="namespace",subresource="",verb="LIST",version="v1"',
    ],
    [
      { url: '/api/v1/pods?watch=true' },
      'component="apiserver",dry_run="",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"',
    ],
    [
      { method: 'POST', url: '/api/v1/namespaces/n/pods?dryRun=All' },
      'component="apiserver",dry_run="All",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"',
    ],
    [
      { method: 'PATCH', url: '/api/v1/nodes/n/status', headers: { 'content-type': 'application/apply-patch+yaml' } },
      'component="apiserver",dry_run="",group="",resource="nodes",scope="resource",subresource="status",verb="APPLY",version="v1"',
    ],
    [
      { method: 'DELETE', url: '/api/v1/namespaces/n/pods' },
      'component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="DELETE",version="v1"',
    ],
  ])('%j', async (call, labels) => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    track(metrics, call);
    track(metrics, call);
    track(metrics, call, { status: 404 });
    const { text } = await registry.expose();
    expect(text).toContain(`apiserver_request_total{code="200",${labels}} 2\n`);
    expect(text).toContain(`apiserver_request_total{code="404",${labels}} 1\n`);
    expect(text).toContain(`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} 3\n`);
    expect(text).toContain(`apiserver_request_duration_seconds_count{${labels}} 3\n`);
  });

  it('counts refused requests, also for paths', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    for (const url of ['/api/v1/nodes/a/status?dryRun=All', '/healthz']) {
      const exchange = createInProcessExchange({ url });
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      metrics.dropped(exchange);
    }
    const { text } = await registry.expose();
    const named = 'code="429",component="apiserver"';
    const node = 'group="",resource="nodes",scope="resource",subresource="status",verb="GET",version="v1"';
    const path = (subresource: string) =>
      `group="",resource="",scope="",subresource="${subresource}",verb="GET",version=""`;
    expect(text.match(/^apiserver_request_(terminations_)?total\{.*/gm)).toEqual([
      `apiserver_request_terminations_total{${named},${path('/healthz')}} 1`,
      `apiserver_request_terminations_total{${named},${node}} 1`,
      `apiserver_request_total{${named},dry_run="",${path('')}} 1`,
      `apiserver_request_total{${named},dry_run="All",${node}} 1`,
    ]);
  });

  it('shows a bounded number of requests that ended before they had a route', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    const end = (url: string) => {
      const exchange = createInProcessExchange({ url });
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      metrics.terminated(exchange, 504);
      metrics.aborted(exchange);
    };
    end(`/${'x'.repeat(600)}`);
    for (let i = 0; i < 1_500; i++) end(`/apis/g${i}/v1/things`);
    end('/apis/g0/v1/things');
    const { text } = await registry.expose();
    const counts = text.match(/^apiserver_request_(terminations|aborts)_total\{.*/gm) ?? [];
    expect([counts.length, counts.some((line) => line.includes('xxx'))]).toEqual([1_000, false]);
    expect(text).toMatch(/^apiserver_request_terminations_total\{.*group="g0",.* 2$/m);
  });

  it('shows long-running requests while they are open, and sizes of reads', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    const labels = (verb: string) =>
      `component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="${verb}",version="v1"`;
    const exchange = createInProcessExchange({ url: '/api/v1/pods?watch=1' });
    exchange.context.requestInfo = resolveRequestInfo(exchange.request);
    metrics.track(exchange, { longRunning: true, measuresRoute: true });
    const gauge = `apiserver_longrunning_requests{${labels('WATCH')}}`;
    expect((await registry.expose()).text).toContain(`${gauge} 1\n`);
    exchange.finish({ status: 200, bytesWritten: 9, aborted: true });
    track(metrics, { url: '/api/v1/pods' }, { bytesWritten: 20_000 });
    const { text } = await registry.expose();
    expect(text).toContain(`${gauge} 0\n`);
    expect(text).not.toContain('apiserver_request_aborts_total{');
    metrics.aborted(exchange);
    expect((await registry.expose()).text).toContain(
      'apiserver_request_aborts_total{group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 1\n',
    );
    expect(text).toContain(`apiserver_response_sizes_bucket{${labels('LIST')},le="10000"} 0\n`);
    expect(text).toContain(`apiserver_response_sizes_bucket{${labels('LIST')},le="100000"} 1\n`);
    expect(text).toContain(`apiserver_response_sizes_sum{${labels('LIST')}} 20000\n`);
    expect(text).toContain(`apiserver_response_sizes_sum{${labels('WATCH')}} 9\n`);
  });

  it('shows an open watch of one name as one of an object, whatever scope it has in the end', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    const exchange = createInProcessExchange({ url: '/api/v1/pods?watch=1&fieldSelector=metadata.name%3Dp' });
    exchange.context.requestInfo = resolveRequestInfo(exchange.request);
    metrics.track(exchange, { longRunning: true, measuresRoute: true });
    const labels = (scope: string) => `resource="pods",scope="${scope}",subresource="",verb="WATCH",version="v1"`;
    const gauge = `apiserver_longrunning_requests{component="apiserver",group="",${labels('resource')}}`;
    expect((await registry.expose()).text).toContain(`${gauge} 1\n`);
    exchange.finish({ status: 200, bytesWritten: 9, aborted: true });
    const { text } = await registry.expose();
    expect(text).toContain(`${gauge} 0\n`);
    expect(text).toContain(
      `apiserver_request_total{code="200",component="apiserver",dry_run="",group="",${labels('cluster')}} 1\n`,
    );
  });

  it('shows a request from its end, and in the gauge of long-running ones only if it is one', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    const exchange = createInProcessExchange({ url: '/api/v1/pods' });
    exchange.context.requestInfo = resolveRequestInfo(exchange.request);
    const shown = async () => (await registry.expose()).text.match(/^apiserver_\w+(?=\{.*verb="LIST")/gm) ?? [];
    metrics.track(exchange, { longRunning: false, measuresRoute: true });
    const before = await shown();
    exchange.finish({ status: 200, bytesWritten: 1, aborted: false });
    const names = new Set((await shown()).map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([before, [...names]]).toEqual([
      [],
      [
        ...['apiserver_request_duration_seconds', 'apiserver_request_sli_duration_seconds'],
        ...['apiserver_request_total', 'apiserver_response_sizes'],
      ],
    ]);
  });

  it('counts requests of the server itself, and notes values of fieldValidation', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    for (const name of ['system:apiserver', 'alice']) {
      const exchange = createInProcessExchange({ url: '/api/v1/pods' });
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      exchange.context.user = { name, groups: [], extra: {} };
      metrics.track(exchange, { longRunning: false, measuresRoute: true });
      exchange.finish({ status: 200, bytesWritten: 1, aborted: false });
    }
    for (const query of ['fieldValidation=Strict', 'fieldValidation=x', 'fieldValidation=Warn&fieldValidation=Warn']) {
      track(metrics, { url: `/api/v1/pods?${query}` });
    }
    const { text } = await registry.expose();
    expect(text.match(/^apiserver_selfrequest_total.*/gm)).toEqual([
      'apiserver_selfrequest_total{group="",resource="pods",subresource="",verb="LIST"} 1',
    ]);
    expect(text.match(/^field_validation_request_duration_seconds_count.*/gm)).toEqual(
      ['', 'Strict', 'invalid'].map(
        (value) => `field_validation_request_duration_seconds_count{field_validation="${value}"} 0`,
      ),
    );
  });

  it('distinguishes paths without a resource', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    for (const url of ['/healthz', '/readyz', '/healthz', '/livez']) track(metrics, { url });
    const { text } = await registry.expose();
    const counts = text.match(/^apiserver_request_total\{.*/gm);
    expect(counts?.map((line) => [/subresource="([^"]*)"/.exec(line)?.[1], line.split('} ')[1]])).toEqual([
      ['/healthz', '2'],
      ['/livez', '1'],
      ['/readyz', '1'],
    ]);
  });

  // Compared with servers of upstream's modules: built-in routes measure themselves, custom resources their
  // RequestInfo.
  it.each<[string, string, string, string, string?]>([
    ...([
      ['GET', '/api/v1/pods?fieldSelector=metadata.name=p', 'LIST cluster size sli', 'GET resource size sli'],
      [
        'GET',
        '/api/v1/namespaces/n/pods?watch=1&fieldSelector=metadata.name=p',
        'WATCH namespace size',
        'WATCH resource',
      ],
      ['GET', '/api/v1/watch/pods', 'WATCH cluster', 'WATCH cluster'],
      ['GET', '/api/v1/pods?watch=true', 'WATCH cluster size', 'WATCH cluster'],
      ['GET', '/api/v1/namespaces/n/pods/p?watch=true', 'WATCH resource size sli', 'WATCH resource size sli'],
    ] as [string, string, string, string][]),
    ...([
      ['GET', '/api/v1/namespaces/n/pods/p?watch=False', 'GET resource size sli', 'GET resource size sli'],
      ['HEAD', '/api/v1/namespaces/n/pods', 'LIST namespace size sli', 'LIST namespace size sli'],
      ['OPTIONS', '/api/v1/namespaces/n/pods', 'other namespace sli', 'other namespace sli'],
      ['GET', '/api/v1/namespaces/n/pods/p/log', 'CONNECT resource size sli', 'CONNECT resource size sli'],
      ['POST', '/api/v1/namespaces/n/pods/p/exec', 'CONNECT resource sli', 'CONNECT resource sli'],
    ] as [string, string, string, string][]),
    ...([
      ['PATCH', '/api/v1/nodes/n', 'PATCH resource sli', 'PATCH resource sli', 'application/apply-patch+cbor'],
      ['FOO', '/healthz', 'other  size sli', 'other  size sli'],
      ['POST', '/healthz', 'POST  size sli', 'POST  size sli'],
      ['HEAD', '/healthz', 'GET  size sli', 'GET  size sli'],
      ['GET', '/healthz?watch=1', 'WATCH  size sli', 'WATCH  size sli'],
    ] as [string, string, string, string, string?][]),
  ])('%s %s is measured as %s, or as %s of a custom resource', async (...[method, url, route, custom, type = '']) => {
    const measured = async (measuresRoute: boolean) => {
      const registry = new MetricsRegistry();
      track(new RequestMetrics(registry), { method, url, headers: { 'content-type': type } }, { measuresRoute });
      const { text } = await registry.expose();
      const [, scope, verb] = /^apiserver_request_total\{.*,scope="(.*?)".*,verb="(.*?)"/m.exec(text) ?? [];
      const has = (family: string) => text.includes(`# TYPE apiserver_${family} `);
      const observed = [has('response_sizes') && 'size', has('request_sli_duration_seconds') && 'sli'];
      return [verb, scope, ...observed.filter((one) => one !== false)].join(' ');
    };
    expect([await measured(true), await measured(false)]).toEqual([route, custom]);
  });

  it('leaves waits for webhooks and seats out of the latency objective', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    const exchange = createInProcessExchange({ url: '/api/v1/pods' });
    exchange.context.requestInfo = resolveRequestInfo(exchange.request);
    metrics.track(exchange, { longRunning: false, measuresRoute: true });
    exchange.context.waits = { mutatingWebhooks: 40_000, validatingWebhooks: 30_000, seat: 20_000 };
    exchange.finish({ status: 200, bytesWritten: 0, aborted: false });
    const { text } = await registry.expose();
    const sum = (name: string) => Number(new RegExp(`^${name}_sum.* (.*)$`, 'm').exec(text)?.[1]);
    const waited = sum('apiserver_request_duration_seconds') - sum('apiserver_request_sli_duration_seconds');
    expect(waited).toBeCloseTo(90, 6);
  });

  it('promises nothing about watches and dry runs', async () => {
    const registry = new MetricsRegistry();
    const metrics = new RequestMetrics(registry);
    for (const query of ['watch=1', 'limit=1']) track(metrics, { url: `/api/v1/pods?${query}` });
    for (const query of ['', '?dryRun=All']) track(metrics, { method: 'POST', url: `/api/v1/nodes${query}` });
    const { text } = await registry.expose();
    const counts = text.match(/^apiserver_request_sli_duration_seconds_count\{.*/gm);
    expect(counts?.map((line) => [/verb="(\w+)"/.exec(line)?.[1], line.split('} ')[1]])).toEqual([
      ['POST', '1'],
      ['LIST', '1'],
    ]);
  });
});

describe('AuthenticationMetrics', () => {
  it('counts users by class', async () => {
    const registry = new MetricsRegistry();
    const metrics = new AuthenticationMetrics(registry);
    for (const name of ['admin', 'a@example.com', 'system:node:n', 'alice', 'admin']) metrics.userRequest(name);
    const { text } = await registry.expose();
    expect(text.match(/^authenticated_user_requests.*$/gm)).toEqual([
      'authenticated_user_requests{username="admin"} 2',
      'authenticated_user_requests{username="email_id"} 1',
      'authenticated_user_requests{username="other"} 2',
    ]);
  });
});

describe('createEndpointMetrics', () => {
  it('counts watch events and notes deprecated requests', async () => {
    const registry = new MetricsRegistry();
    const metrics = createEndpointMetrics(registry, { request: () => {}, afterTimeout: () => {} });
    const events = metrics.watchEvents({ group: '', version: 'v1', resource: 'pods' });
    for (const bytes of [1_000, 1_500, 200_000]) events(bytes);
    const gone = { group: 'g', version: 'v1', resource: 'r', subresource: 's', removedRelease: '1.40' };
    const note = metrics.deprecatedRequests(gone);
    note();
    note();
    metrics.watchTerminated({ group: '', resource: 'pods' });
    const { text } = await registry.expose();
    const labels = 'group="",resource="pods",version="v1"';
    for (const line of [
      `apiserver_watch_events_total{${labels}} 3`,
      'apiserver_terminated_watchers_total{group="",resource="pods"} 1',
      `apiserver_watch_events_sizes_bucket{${labels},le="1024"} 1`,
      `apiserver_watch_events_sizes_bucket{${labels},le="2048"} 2`,
      `apiserver_watch_events_sizes_bucket{${labels},le="131072"} 2`,
      `apiserver_watch_events_sizes_bucket{${labels},le="+Inf"} 3`,
      `apiserver_watch_events_sizes_sum{${labels}} 202500`,
      'apiserver_requested_deprecated_apis{group="g",removed_release="1.40",resource="r",subresource="s",version="v1"} 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });
});

describe('InFlightMetrics', () => {
  it('shows the most of the last second', async () => {
    const registry = new MetricsRegistry();
    const metrics = new InFlightMetrics(registry, new RequestMetrics(registry));
    for (const inFlight of [1, 2, 3, 2, 1, 0]) metrics.record('mutating', inFlight);
    const { text } = await registry.expose();
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 3\n');
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 0\n');
  });
});

describe('MetricsRegistry', () => {
  it('registers a name once, and shows metrics added after the first request', async () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: 'a_total', help: 'A.', labels: ['x'] }).with({ x: '"\n' }).value = 2;
    expect(() => registry.gauge({ name: 'a_total', help: 'A.', labels: [] })).toThrow('registered already');
    const first = await registry.expose();
    expect(first.text).toContain('# HELP a_total [ALPHA] A.\n# TYPE a_total counter\na_total{x="\\"\\n"} 2\n');
    registry.gauge({ name: 'b', help: 'B.', labels: [] }).with({}).value = 7;
    expect((await registry.expose()).text).toContain('# TYPE b gauge\nb 7\n');
  });
});

it('the metrics of health checks are alone, with the start of the process', async () => {
  const slis = new SliMetrics(5_000);
  slis.observe('ping', 'livez', true);
  const { text } = await slis.registry.expose();
  expect(text.match(/^[^#].*/gm)).toEqual([
    'kubernetes_healthcheck{name="ping",type="livez"} 1',
    'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
    'process_start_time_seconds 5',
  ]);
});
