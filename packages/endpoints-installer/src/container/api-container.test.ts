import { describe, expect, test } from 'vitest';
import { type EndpointMetrics, noEndpointMetrics } from '../scope/endpoint-metrics.js';
import { createTestExchange, testDefinition } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';

const NOT_FOUND = [404, 'the server could not find the requested resource'];
const NOT_ALLOWED = [405, 'the server does not allow this method on the requested resource'];
const strategy = testDefinition().strategy;

async function refusal(server: ReturnType<typeof createTestServer>, method: string, url: string) {
  const { status, text } = await server.call({ method, url, body: {} });
  return [status, JSON.parse(text).message];
}

describe('a namespaced resource', () => {
  const server = createTestServer({ definition: testDefinition({ subresources: { status: { strategy } } }) });

  test.each([
    ['GET', '/api/v1/configmaps/a'],
    ['GET', '/api/v1/namespaces/n/configmaps/a/nope'],
    ['GET', '/api/v1/namespaces/n/configmaps/a/b/c/d'],
    ['GET', '/api/v1/namespaces/n/configmaps/a/status/x'],
    ['GET', '/api/v1/namespaces/n/bananas'],
    ['GET', '/api/v1/namespaces/n/CONFIGMAPS/a'],
    ['GET', '/api/v99/namespaces/n/configmaps'],
    ['GET', '/api/v99'],
    ['GET', '/api/v1//namespaces/n/configmaps/a'],
    ['GET', '/api/v1/namespaces///configmaps'],
    ['GET', '/api//v1/namespaces/n/configmaps'],
    ['GET', '/api/v1/proxy/namespaces/n/configmaps/a'],
    ['GET', '/api/v1/watch/namespaces/n/configmaps/a/status'],
  ])('%s %s is not found', async (method, url) => {
    expect(await refusal(server, method, url)).toEqual(NOT_FOUND);
  });

  test.each([
    ['POST', '/api/v1/namespaces/n/configmaps/a'],
    ['PUT', '/api/v1/namespaces/n/configmaps'],
    ['PATCH', '/api/v1/namespaces/n/configmaps'],
    ['OPTIONS', '/api/v1/namespaces/n/configmaps/a'],
    ['HEAD', '/api/v1/namespaces/n/configmaps/a'],
    ['PROPFIND', '/api/v1/namespaces/n/configmaps/a'],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces/n/configmaps/a/status'],
    ['POST', '/api/v1/watch/namespaces/n/configmaps'],
  ])('%s %s is not allowed', async (method, url) => {
    expect(await refusal(server, method, url)).toEqual(NOT_ALLOWED);
  });

  test.each([
    '/',
    '/healthz',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/deployments',
    '/apis//v99',
    '//api/v1/namespaces/n/configmaps',
    '/apis//v1/namespaces/n/configmaps',
  ])('%s is for others', (url) => {
    expect(server.container.handlerFor(createTestExchange({ url }))).toBeUndefined();
  });

  test('an empty namespace in a path means all of them, and an empty name means none', async () => {
    server.storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });
    const list = await server.call({ url: '/api/v1/namespaces//configmaps' });
    expect([
      JSON.parse(list.text).items.length,
      await refusal(server, 'GET', '/api/v1/namespaces/n/configmaps//status'),
    ]).toEqual([1, [400, 'name must be provided']]);
  });

  test('a trailing slash is ignored', async () => {
    const { status, text } = await server.call({ url: '/api/v1/namespaces/n/configmaps/' });
    expect([status, JSON.parse(text).kind]).toEqual([200, 'ConfigMapList']);
  });
});

describe('a cluster-scoped resource', () => {
  const definition = testDefinition({
    resource: 'namespaces',
    scope: 'Cluster',
    subresources: { status: { strategy } },
  });
  const server = createTestServer({ definition });
  server.storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } });

  test.each([
    ['/api/v1/namespaces', 200],
    ['/api/v1/namespaces/n', 200],
    ['/api/v1/namespaces/n/status', 200],
    ['/api/v1/namespaces/n/namespaces', 404],
    ['/api/v1/namespaces/n/namespaces/n', 404],
    ['/api/v1/namespaces/n/finalize', 404],
  ])('%s', async (url, expected) => {
    expect((await server.call({ url })).status).toBe(expected);
  });
});

describe('install and uninstall', () => {
  test('take effect at run time, and notify listeners', async () => {
    const server = createTestServer();
    const { container, storage } = server;
    const changes: string[] = [];
    const unsubscribe = container.onChange(() =>
      changes.push(
        container
          .groupVersions()
          .map(({ group }) => group)
          .join(),
      ),
    );
    const definition = testDefinition({ group: 'g.example.com' });
    const resources = [{ definition, storage, subresources: {} }];
    const uninstall = container.install({ group: 'g.example.com', versions: ['v1', 'v2'], resources });
    const url = '/apis/g.example.com/v1/configmaps';
    const served = (await server.call({ url })).status;
    const unknownVersion = (await server.call({ url: '/apis/g.example.com/v2' })).status;
    uninstall();
    uninstall();
    const gone = container.handlerFor(createTestExchange({ url }));
    container.uninstall('', 'v1');
    unsubscribe();
    container.install({ group: 'h', versions: ['v1'], resources: [] });
    expect({ served, unknownVersion, gone, changes, left: container.installed() }).toEqual({
      served: 200,
      unknownVersion: 404,
      gone: undefined,
      changes: [',g.example.com', '', ''],
      left: [{ group: 'h', versions: [], resources: [] }],
    });
  });

  test('one version of several', () => {
    const schema = testDefinition().versions[0]!.schema;
    const definition = testDefinition({
      versions: [
        { version: 'v2', schema },
        { version: 'v1', schema },
      ],
    });
    const { container } = createTestServer({ definition });
    container.uninstall('', 'v2');
    expect([container.groupVersions(), container.installed()[0]?.versions]).toEqual([
      [{ group: '', version: 'v1' }],
      ['v1'],
    ]);
  });

  test('the same resource twice is rejected and changes nothing', () => {
    const { container, definition, storage } = createTestServer();
    const other = testDefinition({ resource: 'others' });
    const resources = [other, definition].map((each) => ({ definition: each, storage, subresources: {} }));
    expect(() => container.install({ group: '', versions: ['v1'], resources })).toThrow(
      'configmaps is already installed in v1',
    );
    const info = createTestExchange({ url: '/api/v1/others' });
    expect([container.installed().length, container.handlerFor(info)]).toEqual([1, expect.any(Function)]);
  });

  test('verbs that the storage lacks are absent', async () => {
    const server = createTestServer();
    const storage = { create: server.storage.create };
    const definition = testDefinition({ resource: 'reviews', scope: 'Cluster' });
    server.container.install({ group: '', versions: ['v1'], resources: [{ definition, storage, subresources: {} }] });
    expect([
      await refusal(server, 'GET', '/api/v1/reviews'),
      await refusal(server, 'GET', '/api/v1/reviews/a'),
    ]).toEqual([NOT_ALLOWED, NOT_FOUND]);
  });

  test('an endpoint is made for its first request', async () => {
    const { container, storage } = createTestServer();
    const definition = testDefinition({ group: 'g', subresources: { status: { strategy } } });
    const used: string[] = [];
    const resource = {
      definition,
      get storage() {
        used.push('configmaps');
        return storage;
      },
      subresources: {
        get status() {
          used.push('configmaps/status');
          return storage;
        },
      },
    };
    container.install({ group: 'g', versions: ['v1'], resources: [resource] });
    const usedAfter = (path: string) => {
      const exchange = createTestExchange({ url: `/apis/g/v1/namespaces/n/configmaps${path}` });
      container.handlerFor(exchange);
      return [...used];
    };
    expect([[...used], usedAfter('/a/status'), usedAfter('/a'), usedAfter('/a'), usedAfter('/a/status')]).toEqual([
      [],
      ['configmaps/status'],
      ...Array(3).fill(['configmaps/status', 'configmaps']),
    ]);
  });

  test('a resource without watch rejects it', async () => {
    const server = createTestServer({ definition: testDefinition({ verbs: ['list'] }) });
    expect([
      await refusal(server, 'GET', '/api/v1/configmaps?watch=1'),
      await refusal(server, 'GET', '/api/v1/watch/configmaps'),
    ]).toEqual([[405, 'watch is not supported on resources of kind "configmaps"'], NOT_FOUND]);
  });
});

test('a deprecated version warns, and is counted', async () => {
  const schema = testDefinition().versions[0]!.schema;
  const deprecated = { since: '1.19', removed: '1.22', replacement: 'v2 ConfigMap' };
  const counted: unknown[] = [];
  const metrics: EndpointMetrics = {
    ...noEndpointMetrics,
    deprecatedRequests: (api) => () => void counted.push(api),
  };
  const server = createTestServer({
    definition: testDefinition({ versions: [{ version: 'v1', schema, deprecated }] }),
    metrics,
  });
  expect((await server.call({ url: '/api/v1/configmaps' })).warnings).toEqual([
    'v1 ConfigMap is deprecated in v1.19+, unavailable in v1.22+; use v2 ConfigMap',
  ]);
  const gone = { group: '', version: 'v1', resource: 'configmaps', subresource: '', removedRelease: '1.22' };
  expect(counted).toEqual([gone]);
});

test('requests with a route are counted, those without are not', async () => {
  const counted: string[] = [];
  const metrics: EndpointMetrics = {
    ...noEndpointMetrics,
    request: ({ request }) => void counted.push(request.url),
  };
  const server = createTestServer({ metrics });
  server.storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });
  const item = '/api/v1/namespaces/n/configmaps/a';
  await server.call({ url: item });
  await server.call({ url: `${item}/made-up` });
  await server.call({ url: '/api/v1/made-up' });
  await server.call({ method: 'POST', url: item });
  await server.call({ url: item, headers: { Accept: 'made/up' } });
  expect(counted).toEqual([item]);
});

describe('a custom resource', () => {
  const schema = { ...testDefinition().versions[0]!.schema, semantics: 'structural' as const };
  const definition = testDefinition({
    group: 'example.com',
    versions: [{ version: 'v1', schema }],
    subresources: { status: { strategy } },
  });
  const server = createTestServer({ definition });
  const item = '/apis/example.com/v1/namespaces/n/configmaps/a';

  test.each([
    ['GET', `${item}/scale`, 404, 'configmaps.example.com "a" not found'],
    ['GET', `${item}/constructor`, 404, 'configmaps.example.com "a" not found'],
    ['GET', `${item}/made-up/more`, 404, 'configmaps.example.com "a" not found'],
    ['POST', `${item}/status`, 405, 'create is not supported on resources of kind "configmaps.example.com"'],
    ['PUT', '/apis/example.com/v1/namespaces/n/configmaps', 400, 'name must be provided'],
    [
      'PATCH',
      '/apis/example.com/v1/namespaces/n/configmaps',
      415,
      'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ],
    ['OPTIONS', item, 405, ' is not supported on resources of kind "configmaps.example.com"'],
  ])('%s %s is refused', async (method, url, code, message) => {
    expect(await refusal(server, method, url)).toEqual([code, message]);
  });

  test.each([
    ['GET', '/apis/example.com/v1/configmaps/a'],
    ['DELETE', '/apis/example.com/v1/configmaps'],
    ['GET', '/apis/example.com/v1/configmaps/a/scale'],
    ['GET', '/apis/example.com/v1/bananas/a/status'],
    ['GET', '/apis/example.com/v2/namespaces/n/configmaps/a/status'],
    ['GET', '/apis/example.com//namespaces/n/configmaps'],
    ['GET', '//apis/example.com/v1/configmaps'],
  ])('%s %s is for others', (method, url) => {
    expect(server.container.handlerFor(createTestExchange({ method, url }))).toBeUndefined();
  });

  test('an empty namespace in a path is all of them', async () => {
    expect((await server.call({ url: '/apis/example.com/v1/namespaces//configmaps' })).status).toBe(200);
  });

  test.each([
    [
      'PartialObjectMetadata',
      '/apis/example.com/v1/configmaps',
      [406, 'you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)'],
    ],
    ['PartialObjectMetadataList', item, [500, 'content is not a list']],
  ])('%s of the wrong shape is refused as what it is in Go', async (kind, url, reported) => {
    server.storage.put({ apiVersion: 'example.com/v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });
    const Accept = `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    const { status, text } = await server.call({ url, headers: { Accept } });
    expect([status, JSON.parse(text).message]).toEqual(reported);
  });
});

test('requests for a custom resource are counted too, except for unsupported ones', async () => {
  const counted: string[] = [];
  const metrics: EndpointMetrics = {
    ...noEndpointMetrics,
    request: ({ request }) => void counted.push(`${request.method} ${request.url}`),
  };
  const schema = { ...testDefinition().versions[0]!.schema, semantics: 'structural' as const };
  const definition = testDefinition({ group: 'example.com', versions: [{ version: 'v1', schema }], verbs: ['list'] });
  const server = createTestServer({ definition, metrics });
  const url = '/apis/example.com/v1/namespaces/n/configmaps';
  await server.call({ url });
  await server.call({ method: 'POST', url });
  expect(counted).toEqual([`GET ${url}`]);
});

test('a deprecated version of a custom resource warns, whatever becomes of the request', async () => {
  const schema = { ...testDefinition().versions[0]!.schema, semantics: 'structural' as const };
  const versions = [{ version: 'v1', schema, deprecationWarning: 'use v2' }];
  const subresources = { part: { strategy, schema: { ...schema, gvk: { group: '', version: 'v1', kind: 'Part' } } } };
  const server = createTestServer({
    definition: testDefinition({ group: 'example.com', versions, verbs: ['list'], subresources }),
  });
  const url = '/apis/example.com/v1/namespaces/n/configmaps';
  const warned = [
    await server.call({ url }),
    await server.call({ method: 'POST', url }),
    await server.call({ url: `${url}/a/scale` }),
    await server.call({ url: `${url}/a/part` }),
  ];
  expect(warned.map(({ status, warnings }) => [status, warnings])).toEqual([
    [200, ['use v2']],
    [405, ['use v2']],
    [404, ['use v2']],
    [404, ['use v2']],
  ]);
});
