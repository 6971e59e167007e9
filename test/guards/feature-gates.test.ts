import { describe, expect, it } from 'vitest';
import type { RequestHeaders } from '../harness/admin-client.ts';
import { type AssembledServer, assembledServer } from './assembled-server.ts';
import { object } from './objects.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WHOLE = "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')";
const query = (selector: string) => `?shardSelector=${encodeURIComponent(selector)}`;

describe('a server with features that are off by default', () => {
  const server = assembledServer('--feature-gates=ShardedListAndWatch=true,NativeHistograms=true');

  it('restricts lists to shards', async () => {
    const { metadata } = await server.make(CONFIG_MAPS, object('v1', 'ConfigMap', 'in-a-shard'));
    const listed = async (selector: string) => {
      const { body } = await server.ask('GET', `${CONFIG_MAPS}${query(selector)}`);
      return { ...body.metadata, resourceVersion: '', uids: body.items?.map((item: Item) => item.metadata.uid) };
    };
    const all = await listed(WHOLE);
    const low = WHOLE.replace('0x10000000000000000', '0x8000000000000000');
    const high = WHOLE.replace('0x0000000000000000', '0x8000000000000000');
    const [first, second] = [await listed(low), await listed(high)];
    expect(all.uids).toContain(metadata.uid);
    expect([first.shardInfo, second.shardInfo, all.shardInfo]).toEqual(
      [low, high, WHOLE].map((selector) => ({ selector })),
    );
    expect([...first.uids, ...second.uids].sort()).toEqual([...all.uids].sort());
    const { code, body } = await server.ask('GET', `${CONFIG_MAPS}${query('x')}`);
    expect([code, body.message]).toEqual([
      500,
      'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator',
    ]);
    const watch = `&watch=1&timeoutSeconds=1&allowWatchBookmarks=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=1`;
    const { body: events } = await server.askRaw('GET', `${CONFIG_MAPS}${query(low)}${watch}`);
    const lines: readonly { type: string; object: Item }[] = events
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const added = lines.filter(({ type }) => type === 'ADDED').map(({ object }) => object.metadata.uid);
    expect(added.sort()).toEqual([...first.uids].sort());
    const { body: metrics } = await server.ask('GET', '/metrics');
    expect(metrics).toContain('apiserver_watch_shards_total{group="",resource="configmaps"} 0');
  });
});

describe('native histograms', () => {
  const [on, off] = [assembledServer('--feature-gates=NativeHistograms=true'), assembledServer()];

  it('are a part of protobuf alone', async () => {
    const sizes = async (server: AssembledServer) => {
      const protobuf = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
      const { headers } = await server.askRaw('GET', '/metrics', { accept: protobuf });
      const { body } = await server.askRaw('GET', '/metrics', { accept: protobuf });
      // The threshold of zero, 2^-128, in its field.
      return [headers['content-type'], body.includes('1\0\0\0\0\0\0')];
    };
    const type = expect.stringContaining('application/vnd.google.protobuf');
    expect([await sizes(on), await sizes(off)]).toEqual([
      [type, true],
      [type, false],
    ]);
  });
});

interface Item {
  readonly metadata: { readonly uid: string; readonly name: string };
}

const OFF = [
  ...[
    'APIResponseCompression',
    'APIServerIdentity',
    'AllowParsingUserUIDFromCertAuth',
    'CRDObservedGenerationTracking',
  ],
  ...['ConstrainedImpersonation', 'DetectCacheInconsistency', 'ListFromCacheSnapshot', 'OpenAPIEnums'],
  ...['RemoteRequestHeaderUID', 'StorageVersionHash', 'StructuredAuthenticationConfigurationEgressSelector'],
  ...['StructuredAuthenticationConfigurationJWKSMetrics', 'UnauthenticatedHTTP2DOSMitigation'],
  ...['UnknownVersionInteroperabilityProxy', 'WatchCacheInitializationPostStartHook', 'WatchList'],
];

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CUSTOM = '/apis/gates.example.com/v1';
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const definition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'parts.gates.example.com', {
  spec: { group: 'gates.example.com', scope: 'Cluster', names: { plural: 'parts', kind: 'Part' }, versions: [version] },
});

/** Effects of the features that are on by default, as clients see them. */
function observe(server: AssembledServer) {
  const ask = (path: string, headers?: RequestHeaders) => server.askRaw('GET', path, headers);
  return {
    async watchList() {
      const options = 'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const { status, body } = await ask(`${CONFIG_MAPS}?${options}`);
      return [status, status === 200 ? '' : JSON.parse(body).message];
    },
    async compression() {
      const data = { a: 'x'.repeat(200_000) };
      await server.make(CONFIG_MAPS, object('v1', 'ConfigMap', 'large', { data }));
      const codings = ['/large', '', '?limit=500'].map(async (path) => {
        const { headers } = await ask(`${CONFIG_MAPS}${path}`, { 'accept-encoding': 'gzip' });
        return headers['content-encoding'];
      });
      return await Promise.all(codings);
    },
    async hashes() {
      await server.ask('POST', DEFINITIONS, definition);
      await server.until(200, () => server.ask('GET', CUSTOM));
      const documents = await Promise.all([ask('/api/v1'), ask(CUSTOM)]);
      return documents.map(({ body }) => JSON.parse(body).resources.some((one: object) => 'storageVersionHash' in one));
    },
    async enums() {
      const [v2, v3] = await Promise.all([ask('/openapi/v2'), ask('/openapi/v3/api/v1')]);
      return [v2, v3].map(({ body }) => [body.includes('"enum":['), body.includes('Possible enum values')]);
    },
    async identity() {
      const { body } = await ask('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
      const leases: readonly Item[] = JSON.parse(body).items;
      return leases.some(({ metadata }) => metadata.name.startsWith('apiserver-'));
    },
    async hooks() {
      const { body } = await ask('/readyz?verbose');
      return ['storage-readiness', 'start-kube-apiserver-identity-lease-controller'].map((name) => body.includes(name));
    },
    async metrics() {
      const { body } = await ask('/metrics');
      return [
        'aggregator_discovery_nopeer_requests_total',
        'filter="constrainedimpersonation"',
        'filter="impersonation"',
      ].map((text) => body.includes(text));
    },
    async pages() {
      await server.make(CONFIG_MAPS, object('v1', 'ConfigMap', 'second'));
      const first = await ask(`${CONFIG_MAPS}?limit=1`);
      const { metadata, items } = JSON.parse(first.body);
      const rest = await ask(`${CONFIG_MAPS}?continue=${metadata.continue}`);
      const same = await ask(`${CONFIG_MAPS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
      const count = JSON.parse(rest.body).items.length + items.length;
      return [count, JSON.parse(same.body).items.length];
    },
  };
}

describe('a server without features that are on by default', () => {
  const server = assembledServer(`--feature-gates=${OFF.map((name) => `${name}=false`).join()}`);

  it('has none of them', async () => {
    const seen = observe(server);
    expect(await seen.watchList()).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ]);
    expect(await seen.compression()).toEqual([undefined, undefined, undefined]);
    expect([await seen.hashes(), await seen.enums(), await seen.identity(), await seen.hooks()]).toEqual([
      // Those of custom resources do not depend on the gate.
      [false, true],
      [
        [false, false],
        [false, false],
      ],
      false,
      [false, false],
    ]);
    expect(await seen.pages()).toEqual([2, 2]);
    const { code } = await server.ask('GET', '/api/v1', undefined, { name: 'jane' });
    expect(code).toBe(200);
    expect([await server.strangerRequests(100), await seen.metrics()]).toEqual([100, [false, false, true]]);
  });

  it('begins a watch without a version with the state', async () => {
    const { body } = await server.askRaw('GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
    expect(body).toContain('"type":"ADDED"');
  });

  it('shows the values of its gates', async () => {
    const { body } = await server.askRaw('GET', '/metrics');
    for (const name of OFF) {
      expect(body).toMatch(new RegExp(`kubernetes_feature_enabled\\{name="${name}",stage="\\w*"\\} 0`));
    }
  });
});

describe('a server with default features', () => {
  const server = assembledServer();

  it('has those that are on', async () => {
    const seen = observe(server);
    expect(await seen.watchList()).toEqual([200, '']);
    expect(await seen.compression()).toEqual(['gzip', 'gzip', 'gzip']);
    await expect.poll(() => seen.identity()).toBe(true);
    expect([await seen.hashes(), await seen.enums(), await seen.hooks()]).toEqual([
      [true, true],
      [
        [true, true],
        [true, true],
      ],
      [true, true],
    ]);
    expect(await seen.pages()).toEqual([2, 2]);
    await server.ask('GET', '/api/v1', undefined, { name: 'jane' });
    expect(await server.strangerRequests(100)).toBeLessThan(100);
    expect(await seen.metrics()).toEqual([true, true, false]);
  });

  it('knows no shards', async () => {
    const { code, body } = await server.ask('GET', `${CONFIG_MAPS}${query('x')}`);
    expect([code, body.metadata.shardInfo]).toEqual([200, undefined]);
    const { body: metrics } = await server.ask('GET', '/metrics');
    expect(metrics).not.toContain('apiserver_watch_shards_total');
  });
});
