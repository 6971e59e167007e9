import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Lease } from '@apiserver/api/coordination/v1';
import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { createInProcessExchange } from '@apiserver/generic-server/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { PeerConnections } from './peer-connections.js';
import { PeerProxy, type PeerProxyOptions } from './peer-proxy.js';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const alice = { name: 'alice', groups: [], extra: {} };
const { logger } = createTestLogger();

const stopping = new Set<AbortController>();
afterEach(() => {
  for (const stop of stopping) stop.abort();
  stopping.clear();
});

function exchangeOf(url: string, headers: Record<string, string> = {}): Exchange {
  const exchange = createInProcessExchange({ url, headers });
  exchange.context.requestInfo = resolveRequestInfo(exchange.request);
  exchange.context.user = alice;
  return exchange;
}

const peerGroups = [
  {
    kind: '',
    apiVersion: '',
    metadata: { name: 'batch' },
    versions: [
      {
        version: 'v1',
        resources: [
          {
            resource: 'jobs',
            scope: 'Namespaced',
            singularResource: 'job',
            verbs: ['get'],
            responseKind: { group: '', version: '', kind: 'Job' },
          },
        ],
        freshness: 'Current',
      },
    ],
  },
];

type Connections = Pick<PeerConnections, 'pass' | 'discovery' | 'renew'>;

/** A proxy whose only peer serves jobs. */
async function start(overrides: Partial<PeerProxyOptions> = {}, connections: Partial<Connections> = {}) {
  const leases = new ControlledInformer<Lease>();
  const metrics = new MetricsRegistry();
  const options: PeerProxyOptions = {
    serverId: 'me',
    ca: () => '',
    certificate: () => ({ certificate: '', key: '' }),
    endpointOf: async () => ({ hostname: '192.0.2.7', port: 6443 }),
    served: { installed: () => [], onChange: () => () => {} },
    leases,
    metrics,
    logger,
    clock: new ManualClock(0),
    random: () => 0,
    definitions: undefined,
    apiServices: new ControlledInformer<APIService>(),
    ...overrides,
  };
  const answered: ApiResponse = { type: 'bytes', status: 200, body: undefined };
  const proxy = new PeerProxy(options, {
    pass: async () => answered,
    discovery: async (_address, path) => ({
      status: 200,
      document: () => ({ path, etag: '', groups: path === '/apis' ? peerGroups : [] }),
    }),
    renew: () => {},
    ...connections,
  });
  const stop = new AbortController();
  stopping.add(stop);
  proxy.run(stop.signal);
  const spec = { holderIdentity: 'other_1' };
  leases.put({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'other' }, spec });
  await vi.waitFor(() => expect(proxy.merged([])).toHaveLength(1), 30_000);
  const lines = async () =>
    (await metrics.expose()).text
      .split('\n')
      .filter((line) => /^apiserver_(rerouted|peer_proxy)\w+\{/.test(line) && !line.includes('group=""'));
  return { proxy, lines, stop };
}

async function bodyOf(response: Promise<ApiResponse> | ApiResponse | undefined): Promise<string> {
  const given = await response;
  return given?.type === 'bytes' ? Buffer.from(given.body ?? []).toString() : '';
}

it('passes on only resources that a peer serves, once it knows all peers', async () => {
  const { proxy, stop } = await start();
  const isPassed = (url: string, headers?: Record<string, string>) =>
    proxy.handlerFor(exchangeOf(url, headers)) !== undefined;
  expect(isPassed(JOBS)).toBe(false);
  await proxy.synced(stop.signal);
  const urls = [JOBS, `${JOBS}/j/status`, '/apis/batch/v1/namespaces/default/crons', '/apis/batch/v1', '/healthz'];
  expect(urls.map((url) => isPassed(url))).toEqual([true, true, false, false, false]);
  expect(isPassed(JOBS, { 'x-kubernetes-peer-proxied': 'true' })).toBe(false);
  expect(isPassed(JOBS, { 'x-kubernetes-peer-proxied': 'yes' })).toBe(true);
});

it('counts what a peer answers', async () => {
  const { proxy, lines, stop } = await start();
  await proxy.synced(stop.signal);
  const exchange = exchangeOf(JOBS);
  await proxy.handlerFor(exchange)?.(exchange);
  expect(await lines()).toEqual([
    'apiserver_rerouted_request_total{code="200",group="batch",resource="jobs",version="v1"} 1',
  ]);
});

it.each<[string, PeerProxyOptions['endpointOf']]>([
  ['without an address', async () => undefined],
  ['whose address cannot be read', () => Promise.reject(new Error('no storage'))],
])('responds 503 for a peer %s', async (_, endpointOf) => {
  let isKnown = true;
  const address = { hostname: '192.0.2.7', port: 6443 };
  const { proxy, lines, stop } = await start({ endpointOf: async (id) => (isKnown ? address : endpointOf(id)) });
  await proxy.synced(stop.signal);
  isKnown = false;
  const exchange = exchangeOf(JOBS);
  expect(JSON.parse(await bodyOf(proxy.handlerFor(exchange)?.(exchange)))).toMatchObject({
    kind: 'Status',
    reason: 'ServiceUnavailable',
    code: 503,
    message: 'Error getting ip and port info of the remote server while proxying',
  });
  expect(await lines()).toEqual([
    'apiserver_peer_proxy_errors_total{group="batch",resource="jobs",type="endpoint_resolution",version="v1"} 1',
  ]);
});

it('responds 503 with the reason when a peer does not respond', async () => {
  const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const connections = new PeerConnections({ ca: () => '', certificate: () => ({ certificate: '', key: '' }), logger });
  const { proxy, lines, stop } = await start(
    { endpointOf: async () => ({ hostname: '127.0.0.1', port }) },
    { pass: (exchange, user, address) => connections.pass(exchange, user, address) },
  );
  await proxy.synced(stop.signal);
  const exchange = exchangeOf(JOBS);
  const response = await proxy.handlerFor(exchange)?.(exchange);
  silent.close();
  expect(response).toMatchObject({ type: 'bytes', status: 503 });
  expect(await bodyOf(response)).toBe('error trying to reach service: EOF\n');
  expect(exchange.responseHeaders.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await lines()).toEqual([
    'apiserver_rerouted_request_total{code="503",group="batch",resource="jobs",version="v1"} 1',
  ]);
});

it('counts discovery that a peer does not answer as a 503', async () => {
  const metrics = new MetricsRegistry();
  const clock = new ManualClock(0);
  const groups = (path: string) => (path === '/apis' ? peerGroups : []);
  const discovery = vi.fn<Connections['discovery']>(async (_address, path) => ({
    status: 200,
    document: () => ({ path, etag: '', groups: groups(path) }),
  }));
  await start({ metrics, clock }, { discovery });
  discovery.mockRejectedValue(new Error('timeout'));
  clock.advance(60_000);
  const lines = async () => (await metrics.expose()).text.split('\n').filter((line) => /^\w+rerouted\w+\{/.test(line));
  const line = (code: number) => `apiserver_rerouted_request_total{code="${code}",group="",resource="",version=""} 2`;
  await expect.poll(lines).toEqual([line(200), line(503)]);
});
