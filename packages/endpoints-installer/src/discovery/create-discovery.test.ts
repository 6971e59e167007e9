import { APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import { Deployment } from '@apiserver/api/apps/v1';
import { HorizontalPodAutoscaler as AutoscalerV1, Scale } from '@apiserver/api/autoscaling/v1';
import { HorizontalPodAutoscaler as AutoscalerV2 } from '@apiserver/api/autoscaling/v2';
import { Binding, ConfigMap, Namespace } from '@apiserver/api/core/v1';
import { APIGroupList, APIVersions } from '@apiserver/api/meta/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { APIGroupInfo, ApiResponse } from '@apiserver/apiserver-contracts';
import { throwingLogger as silent } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { createTestExchange, responseBody, type TestExchange, type TestExchangeOptions } from '../testing/index.js';
import { createOnly, createTestContainer, testResource } from '../testing/installed-resources.js';
import { createDiscovery, type Discovery } from './create-discovery.js';
import { createDiscoveryAddresses } from './discovery-addresses.js';

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const core: APIGroupInfo = {
  group: '',
  versions: ['v1'],
  resources: [
    testResource({
      versions: [Namespace],
      shortNames: ['ns'],
      verbs: ALL.filter((verb) => verb !== 'deletecollection'),
      subresources: { status: {}, finalize: { verbs: ['update'] } },
    }),
    testResource({ versions: [ConfigMap], shortNames: ['cm'] }),
    createOnly(testResource({ versions: [Binding], resource: 'bindings' })),
  ],
};
const apps: APIGroupInfo = {
  group: 'apps',
  versions: ['v1'],
  resources: [
    testResource({
      versions: [Deployment],
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: { status: {}, scale: { schema: Scale } },
    }),
  ],
};
const autoscaling: APIGroupInfo = {
  group: 'autoscaling',
  versions: ['v2', 'v1'],
  resources: [testResource({ versions: [AutoscalerV2, AutoscalerV1], hubVersion: 'v2' })],
};

const addresses = createDiscoveryAddresses(
  () => '192.0.2.10:6443',
  [{ clientCIDR: '10.96.0.0/12', serverAddress: '10.96.0.1:443' }],
);

function discoveryOf(groups: readonly APIGroupInfo[]): Discovery {
  return createDiscovery({ container: createTestContainer(groups), addresses, logger: silent });
}

async function ask(
  discovery: Discovery,
  url: string,
  options: TestExchangeOptions = {},
): Promise<{ exchange: TestExchange; response: ApiResponse; text: string }> {
  const exchange = createTestExchange({ url, ...options });
  const handler = discovery.handlerFor(exchange);
  if (handler === undefined) throw new Error(`no discovery at ${url}`);
  const response = await handler(exchange);
  return { exchange, response, text: Buffer.from(await responseBody(response)).toString() };
}

const bytesOf = async (discovery: Discovery, url: string, headers?: Record<string, string>): Promise<string> =>
  (await ask(discovery, url, headers === undefined ? {} : { headers })).text;

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('plain discovery', () => {
  const discovery = discoveryOf([core, autoscaling, apps]);

  it.each(['/api', '/api/'])('lists the core versions at %s, without apiVersion', async (url) => {
    expect(await bytesOf(discovery, url)).toBe(
      '{"kind":"APIVersions","versions":["v1"],' +
        '"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.10:6443"}]}\n',
    );
  });

  it.each([
    ['10.97.1.1, 192.0.2.1', true],
    ['unknown,010.97.1.1', true],
    ['::ffff:10.97.1.1', true],
    ['192.0.2.1, 10.97.1.1', false],
    ['2001:db8::1', false],
  ])('offers another address to clients of a range: %s', async (forwarded, isInRange) => {
    const { exchange, text } = await ask(discovery, '/api', { headers: { 'X-Forwarded-For': forwarded } });
    expect(exchange.responseHeaders.get('content-type')).toBe('application/json');
    const other = { clientCIDR: '10.96.0.0/12', serverAddress: '10.96.0.1:443' };
    expect(JSON.parse(text).serverAddressByClientCIDRs).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.10:6443' },
      ...(isInRange ? [other] : []),
    ]);
  });

  it('lists groups in order of installation, like a standalone server', async () => {
    expect(await bytesOf(discovery, '/apis')).toBe(
      '{"kind":"APIGroupList","groups":[' +
        '{"name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},' +
        '{"groupVersion":"autoscaling/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"},' +
        '"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.10:6443"}]},' +
        '{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"apps/v1","version":"v1"},' +
        '"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.10:6443"}]}]}\n',
    );
  });

  it('lists no groups as an empty list', async () => {
    expect(await bytesOf(discoveryOf([core]), '/apis')).toBe('{"kind":"APIGroupList","groups":[]}\n');
  });

  it('describes a group', async () => {
    expect(await bytesOf(discovery, '/apis/apps/')).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}\n',
    );
  });

  it('lists the resources of the core version', async () => {
    expect(JSON.parse(await bytesOf(discovery, '/api/v1'))).toEqual({
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        { name: 'bindings', singularName: 'binding', namespaced: true, kind: 'Binding', verbs: ['create'] },
        {
          name: 'configmaps',
          singularName: 'configmap',
          namespaced: true,
          kind: 'ConfigMap',
          verbs: ALL,
          shortNames: ['cm'],
          storageVersionHash: 'qFsyl6wFWjQ=',
        },
        {
          name: 'namespaces',
          singularName: 'namespace',
          namespaced: false,
          kind: 'Namespace',
          verbs: ALL.filter((verb) => verb !== 'deletecollection'),
          shortNames: ['ns'],
          storageVersionHash: 'Q3oi5N2YM8M=',
        },
        { name: 'namespaces/finalize', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['update'] },
        {
          name: 'namespaces/status',
          singularName: '',
          namespaced: false,
          kind: 'Namespace',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('names the kind of a subresource of another group', async () => {
    const { resources } = JSON.parse(await bytesOf(discovery, '/apis/apps/v1/'));
    expect(resources[1]).toEqual({
      name: 'deployments/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it.each(['/apis/nope', '/apis/apps/v2', '/apis/apps/v1/deployments', '/api/v2', '/version', '/apis//v1'])(
    'leaves %s to others',
    (url) => {
      expect(discovery.handlerFor(createTestExchange({ url }))).toBeUndefined();
    },
  );

  it('has no /api without a core group', () => {
    expect(discoveryOf([apps]).handlerFor(createTestExchange({ url: '/api' }))).toBeUndefined();
  });

  it('responds in YAML and protobuf', async () => {
    expect(await bytesOf(discovery, '/apis/apps', { Accept: 'application/yaml' })).toBe(
      'apiVersion: v1\nkind: APIGroup\nname: apps\npreferredVersion:\n  groupVersion: apps/v1\n  version: v1\nversions:\n' +
        '- groupVersion: apps/v1\n  version: v1\n',
    );
    const protobuf = await ask(discoveryOf([core, apps]), '/apis', {
      headers: { Accept: 'application/vnd.kubernetes.protobuf' },
    });
    const decoded = compileKind(APIGroupList).decodeProtobuf(await responseBody(protobuf.response));
    expect(decoded.object.groups?.[0]?.name).toBe('apps');
    const versions = await ask(discovery, '/api', { headers: { Accept: 'application/vnd.kubernetes.protobuf' } });
    expect(compileKind(APIVersions).decodeProtobuf(await responseBody(versions.response)).object.versions).toEqual([
      'v1',
    ]);
  });

  it('indents on request', async () => {
    expect(await bytesOf(discoveryOf([core]), '/apis?pretty=true')).toBe(
      '{\n  "kind": "APIGroupList",\n  "groups": []\n}',
    );
  });

  it('gives in-process callers the document itself', async () => {
    const exchange = createTestExchange({ url: '/apis/apps', inProcess: {} });
    expect(await discovery.handlerFor(exchange)?.(exchange)).toMatchObject({
      type: 'value',
      status: 200,
      value: { kind: 'APIGroup', name: 'apps', preferredVersion: { version: 'v1' } },
    });
  });

  it.each([
    ['POST', undefined, 405, 'the server does not allow this method on the requested resource'],
    [
      'GET',
      'text/html',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'GET',
      'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList',
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
  ])('refuses %s %s', async (method, accept, code, message) => {
    const options = accept === undefined ? { method } : { method, headers: { Accept: accept } };
    const { response, text } = await ask(discovery, '/apis', options);
    expect([response.type === 'bytes' && response.status, JSON.parse(text).message]).toEqual([code, message]);
  });
});

describe('aggregated discovery', () => {
  const container = createTestContainer([core, autoscaling, apps]);
  const discovery = createDiscovery({ container, addresses, logger: silent });

  it('describes everything of the core group at /api', async () => {
    const { exchange, text } = await ask(discovery, '/api', { headers: { Accept: `${AGGREGATED},application/json` } });
    expect(exchange.responseHeaders.get('content-type')).toBe(AGGREGATED);
    expect(text).toBe(
      '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},' +
        '"versions":[{"version":"v1","resources":[' +
        '{"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},"scope":"Namespaced",' +
        '"singularResource":"binding","verbs":["create"]},' +
        '{"resource":"configmaps","responseKind":{"group":"","version":"","kind":"ConfigMap"},"scope":"Namespaced",' +
        `"singularResource":"configmap","verbs":${JSON.stringify(ALL)},"shortNames":["cm"]},` +
        '{"resource":"namespaces","responseKind":{"group":"","version":"","kind":"Namespace"},"scope":"Cluster",' +
        '"singularResource":"namespace","verbs":["create","delete","get","list","patch","update","watch"],' +
        '"shortNames":["ns"],"subresources":[' +
        '{"subresource":"finalize","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["update"]},' +
        '{"subresource":"status","responseKind":{"group":"","version":"","kind":"Namespace"},' +
        '"verbs":["get","patch","update"]}]}],"freshness":"Current"}]}]}\n',
    );
  });

  it('orders groups by priority, then by name, and versions by maturity', async () => {
    const groupsAt = async (served: Discovery): Promise<readonly string[]> => {
      const { items } = JSON.parse(await bytesOf(served, '/apis', { Accept: AGGREGATED }));
      return items.map((item: { metadata: { name: string }; versions: { version: string }[] }) =>
        [item.metadata.name, ...item.versions.map(({ version }) => version)].join(' '),
      );
    };
    const ranked = createDiscovery({
      container,
      addresses,
      logger: silent,
      priorityOf: ({ group, version }) => ({ group: group === 'apps' ? 1 : 2, version: version === 'v1' ? 2 : 1 }),
    });
    expect([await groupsAt(discovery), await groupsAt(ranked)]).toEqual([
      ['apps v1', 'autoscaling v2 v1'],
      ['autoscaling v1 v2', 'apps v1'],
    ]);
  });

  it('names the kind of a subresource of another group', async () => {
    const { items } = JSON.parse(await bytesOf(discovery, '/apis', { Accept: AGGREGATED }));
    expect(items[0].versions[0].resources[0].subresources[0].responseKind).toEqual({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  it('is accepted at any place in the header', async () => {
    const { text } = await ask(discovery, '/apis', { headers: { Accept: `application/json, ${AGGREGATED};q=0.1` } });
    expect(JSON.parse(text).kind).toBe('APIGroupDiscoveryList');
  });

  it('falls back for a version that is no longer served', async () => {
    const old = AGGREGATED.replace('v=v2', 'v=v2beta1');
    const { exchange, text } = await ask(discovery, '/apis', { headers: { Accept: `${old},application/json` } });
    expect([JSON.parse(text).kind, exchange.responseHeaders.get('content-type')]).toEqual([
      'APIGroupList',
      'application/json',
    ]);
  });

  it('returns 304 for a current ETag, until something changes', async () => {
    const first = await ask(discovery, '/apis', { headers: { Accept: AGGREGATED } });
    const etag = first.exchange.responseHeaders.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const headers = { Accept: AGGREGATED, 'If-None-Match': etag };
    const again = await ask(discovery, '/apis', { headers });
    expect([again.response, [...again.exchange.responseHeaders.entries()]]).toEqual([
      { type: 'bytes', status: 304, body: undefined },
      [
        ['etag', etag],
        ['vary', 'Accept'],
        ['cache-control', 'public'],
      ],
    ]);
    container.replace([core, autoscaling]);
    const changed = await ask(discovery, '/apis', { headers });
    expect([changed.text.includes('"apps"'), changed.response.type === 'bytes' && changed.response.status]).toEqual([
      false,
      200,
    ]);
    container.replace([core, autoscaling, apps]);
  });

  it('has a protobuf form with the same ETag', async () => {
    const accept = AGGREGATED.replace('application/json', 'application/vnd.kubernetes.protobuf');
    const { exchange, response } = await ask(discovery, '/apis', { headers: { Accept: accept } });
    const { object } = compileKind(APIGroupDiscoveryList).decodeProtobuf(await responseBody(response));
    const json = await ask(discovery, '/apis', { headers: { Accept: AGGREGATED } });
    expect(exchange.responseHeaders.get('content-type')).toBe(accept);
    expect(object.items.map(({ metadata }) => metadata.name)).toEqual(['apps', 'autoscaling']);
    expect(exchange.responseHeaders.get('etag')).toBe(json.exchange.responseHeaders.get('etag'));
  });

  it.each([
    ['typed', ['deployments', 'deployments/scale', 'deployments/status']],
    ['structural', ['deployments', 'deployments/status', 'deployments/scale']],
  ] as const)('lists subresources of %s kinds in the order of upstream', async (semantics, expected) => {
    const subresources = { scale: { schema: Scale }, status: {} };
    const resource = testResource({ versions: [{ ...Deployment, semantics }], subresources });
    const served = discoveryOf([{ group: 'apps', versions: ['v1'], resources: [resource] }]);
    const { resources } = JSON.parse(await bytesOf(served, '/apis/apps/v1', {})) as { resources: { name: string }[] };
    const aggregated = JSON.parse(await bytesOf(served, '/apis', { Accept: AGGREGATED }));
    const nested: { subresource: string }[] = aggregated.items[0].versions[0].resources[0].subresources;
    expect([
      resources.map(({ name }) => name),
      ['deployments', ...nested.map(({ subresource }) => `deployments/${subresource}`)],
    ]).toEqual([expected, expected]);
  });

  it('serves the group and the resources of custom resources alone without routes', async () => {
    const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
    const resource = testResource({ versions: [{ ...Deployment, gvk, semantics: 'structural' }], resource: 'widgets' });
    const served = discoveryOf([{ group: 'example.com', versions: ['v1'], resources: [resource] }]);
    const responses = await Promise.all(
      ['/apis/example.com', '/apis/example.com/v1'].flatMap((url) => [
        ask(served, url, { method: 'POST' }),
        ask(served, url, { headers: { Accept: 'text/html' } }),
      ]),
    );
    const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    const message = `only the following media types are accepted: ${accepted}`;
    expect(responses.map(({ text }) => JSON.parse(text))).toMatchObject([
      { kind: 'APIGroup' },
      { code: 406, message },
      { kind: 'APIResourceList' },
      { code: 406, message },
    ]);
  });

  it('names group and version of custom resources, and keeps the order of their verbs', async () => {
    const widget = { ...Deployment, gvk: { group: 'example.com', version: 'v1', kind: 'Widget' } };
    const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
    const resource = testResource({ versions: [{ ...widget, semantics: 'structural' }], resource: 'widgets', verbs });
    const terminating = { ...resource, definition: { ...resource.definition, discoveryVerbs: ['get', 'list'] } };
    const rest = discoveryOf([{ group: 'example.com', versions: ['v1'], resources: [terminating] }]);
    const { resources: left } = JSON.parse(await bytesOf(rest, '/apis/example.com/v1', {}));
    expect(left[0].verbs).toEqual(['get', 'list']);
    const served = discoveryOf([{ group: 'example.com', versions: ['v1'], resources: [resource] }]);
    const { items } = JSON.parse(await bytesOf(served, '/apis', { Accept: AGGREGATED }));
    expect(items[0].versions[0].resources[0]).toEqual({
      resource: 'widgets',
      responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      scope: 'Namespaced',
      singularResource: 'widget',
      verbs,
    });
  });
});
