import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { groupVersions } from '@apiserver/api';
import { Deployment, DeploymentList } from '@apiserver/api/apps/v1';
import { Scale } from '@apiserver/api/autoscaling/v1';
import { ConfigMap, Namespace } from '@apiserver/api/core/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import { type KindSchema, OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import type { APIGroupInfo, ApiResponse, InstalledResource } from '@apiserver/apiserver-contracts';
import { throwingLogger as silent } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { createTestExchange, responseBody, type TestExchange } from '../testing/index.js';
import { createTestContainer, testResource } from '../testing/installed-resources.js';
import { createOpenApi, type OpenApi } from './create-open-api.js';
import type { OpenApiOptions } from './open-api-options.js';

type Document = { readonly [key: string]: unknown };

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const core: APIGroupInfo = {
  group: '',
  versions: ['v1'],
  resources: [
    testResource({
      versions: [Namespace],
      verbs: ALL.filter((verb) => verb !== 'deletecollection'),
      subresources: { status: {}, finalize: { verbs: ['update'] } },
      returnDeletedObject: true,
      documentsDeletedObject: false,
    }),
    testResource({ versions: [ConfigMap] }),
  ],
};
const apps: APIGroupInfo = {
  group: 'apps',
  versions: ['v1'],
  resources: [testResource({ versions: [Deployment], subresources: { status: {}, scale: { schema: Scale } } })],
};

function openApiOf(groups: readonly APIGroupInfo[], options: Partial<OpenApiOptions> = {}): OpenApi {
  return createOpenApi({
    container: createTestContainer(groups),
    logger: silent,
    knownGroupVersions: groupVersions,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    ...options,
  });
}

interface TestResponse {
  readonly exchange: TestExchange;
  readonly response: ApiResponse;
  readonly body: Uint8Array;
  readonly status: number | undefined;
}

async function ask(
  openApi: OpenApi,
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<TestResponse> {
  const exchange = createTestExchange({ url, headers, method });
  const handler = openApi.handlerFor(exchange);
  if (handler === undefined) throw new Error(`no OpenAPI at ${url}`);
  const response = await handler(exchange);
  const status = 'status' in response ? response.status : undefined;
  return { exchange, response, body: await responseBody(response), status };
}

async function documentAt(openApi: OpenApi, url: string): Promise<Document> {
  return JSON.parse(Buffer.from((await ask(openApi, url)).body).toString());
}

/** Follows a path of keys. */
function dig(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

/** Differences from the golden document, which is from a server with all alpha features, such as CBOR. */
const unlike = new Set([
  'application/cbor',
  'application/cbor-seq',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
]);

/** Without descriptions, references to parameters followed. */
function comparable(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.filter((one) => !unlike.has(one)).map((one) => comparable(one, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith('#/parameters/')) {
    return comparable(dig(document, 'parameters', $ref.slice(13)), document);
  }
  const entries = Object.entries(value).filter(([key, inner]) => key !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(entries.map(([key, inner]) => [key, comparable(inner, document)]));
}

const goldenFile = new URL('../../../../../shared/facts/openapi-v2-1.36.json', import.meta.url);

describe.skipIf(!existsSync(goldenFile))(
  'OpenAPI v2 beside an upstream server (skipped when ../shared/facts is absent)',
  () => {
    const golden = (): Document => JSON.parse(readFileSync(goldenFile, 'utf8'));
    const ours = async (): Promise<Document> => documentAt(openApiOf([core, apps], { enums: false }), '/openapi/v2');

    it('has the same paths for the same resources', async () => {
      const [expected, actual] = [golden(), await ours()];
      const served =
        /^\/(apis?\/|api\/v1\/|apis\/apps\/(v1\/)?|version\/)$|\/(configmaps|namespaces)(\/\{name\}(\/(status|finalize))?)?$|\/deployments(\/|$)/;
      const names = Object.keys(expected['paths'] ?? {}).filter((path) => served.test(path));
      expect(Object.keys(actual['paths'] ?? {})).toEqual(names.toSorted());
      for (const name of names) {
        expect([name, comparable(dig(actual, 'paths', name), actual)]).toEqual([
          name,
          comparable(dig(expected, 'paths', name), expected),
        ]);
      }
    });

    it('tells where its tokens can be verified', async () => {
      const expected = golden();
      const actual = await documentAt(openApiOf([core], { enums: false, hasOpenIdPaths: true }), '/openapi/v2');
      for (const path of ['/.well-known/openid-configuration/', '/openid/v1/jwks/']) {
        expect([path, dig(actual, 'paths', path)]).toEqual([path, dig(expected, 'paths', path)]);
      }
    });

    it('has the same definitions', async () => {
      const [expected, actual] = [golden(), await ours()];
      const names = Object.keys(actual['definitions'] ?? {});
      expect(names.length).toBeGreaterThan(140);
      for (const name of names) {
        expect([name, comparable(dig(actual, 'definitions', name), actual)]).toEqual([
          name,
          comparable(dig(expected, 'definitions', name), expected),
        ]);
      }
    });

    it('names and frames the document alike', async () => {
      const [expected, actual] = [golden(), await ours()];
      for (const key of ['swagger', 'info', 'security', 'securityDefinitions']) {
        expect(comparable(actual[key], actual)).toEqual(comparable(expected[key], expected));
      }
    });
  },
);

/** Verbs of servers that differ from those of generated clients. */
const serverVerbs: Readonly<Record<string, readonly string[]>> = { ComponentStatus: ['get', 'list'], Service: ALL };

/** All built-in kinds with a resource, with the verbs of generated clients. */
async function everything(): Promise<readonly APIGroupInfo[]> {
  const groups = new Map<string, { group: string; versions: string[]; resources: InstalledResource[] }>();
  for (const { group, version, load } of groupVersions) {
    const kinds = (await load()).kinds().filter(({ resource }) => resource !== undefined && resource.verbs.length > 0);
    const entry = groups.get(group) ?? { group, versions: [], resources: [] };
    if (kinds.length > 0) groups.set(group, entry);
    entry.versions.push(version);
    for (const { objectType: _, ...schema } of kinds) {
      entry.resources.push(
        testResource({
          versions: [schema],
          verbs: serverVerbs[schema.gvk.kind] ?? schema.resource?.verbs.toSorted() ?? [],
        }),
      );
    }
  }
  return [...groups.values()];
}

/** Removes the response of a delete, because a kind does not tell which resources return the deleted object. */
function withoutDeleteResponse(path: unknown): unknown {
  if (typeof path !== 'object' || path === null || !('delete' in path)) return path;
  return { ...path, delete: { ...(path.delete as object), responses: undefined } };
}

describe.skipIf(!existsSync(goldenFile))(
  'the whole built-in API beside upstream (skipped when ../shared/facts is absent)',
  () => {
    it('has the same operations and definitions', async () => {
      const expected: Document = JSON.parse(readFileSync(goldenFile, 'utf8'));
      const actual = await documentAt(openApiOf(await everything(), { enums: false }), '/openapi/v2');
      const different: string[] = [];
      for (const part of ['paths', 'definitions']) {
        for (const name of Object.keys(actual[part] ?? {})) {
          const [ours, theirs] = [actual, expected].map((document) =>
            withoutDeleteResponse(comparable(dig(document, part, name), document)),
          );
          if (theirs !== undefined && !isDeepStrictEqual(ours, theirs)) different.push(name);
        }
      }
      expect(different).toEqual([]);
    });
  },
);

describe('OpenAPI v3', () => {
  const openApi = openApiOf([core, apps]);

  it('lists its documents with their hashes', async () => {
    const { paths } = await documentAt(openApi, '/openapi/v3');
    const urls = Object.entries(paths as Record<string, { serverRelativeURL: string }>);
    expect(urls.map(([name]) => name)).toEqual(['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'version']);
    for (const [name, { serverRelativeURL }] of urls) {
      const { exchange, status } = await ask(openApi, serverRelativeURL);
      const hash = serverRelativeURL.slice(`/openapi/v3/${name}?hash=`.length);
      expect([status, exchange.responseHeaders.get('etag'), hash.length]).toEqual([200, `"${hash}"`, 128]);
    }
  });

  it('describes an operation', async () => {
    const document = await documentAt(openApi, '/openapi/v3/api/v1');
    const put = dig(document, 'paths', '/api/v1/namespaces/{namespace}/configmaps/{name}', 'put');
    const content = { schema: { $ref: '#/components/schemas/io.k8s.api.core.v1.ConfigMap' } };
    const produced = Object.fromEntries(
      ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'].map((type) => [type, content]),
    );
    const query = { in: 'query', schema: { type: 'string', uniqueItems: true } };
    expect(comparable(put, {})).toEqual({
      tags: ['core_v1'],
      operationId: 'replaceCoreV1NamespacedConfigMap',
      parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({ name, ...query })),
      requestBody: { content: { '*/*': content }, required: true },
      responses: { 200: { content: produced }, 201: { content: produced }, 401: {} },
      'x-kubernetes-action': 'put',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
    });
  });

  it('names shared kinds for its own group version only, and nested kinds for theirs', async () => {
    const document = await documentAt(openApi, '/openapi/v3/apis/apps/v1');
    const kindsOf = (name: string): unknown =>
      dig(document, 'components', 'schemas', name, 'x-kubernetes-group-version-kind');
    expect([
      kindsOf('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'),
      kindsOf(DeploymentList.schema.name),
      kindsOf('io.k8s.api.autoscaling.v1.Scale'),
      kindsOf('io.k8s.api.core.v1.PodSpec'),
    ]).toEqual([
      [
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
      ],
      [{ group: 'apps', kind: 'DeploymentList', version: 'v1' }],
      [{ group: 'autoscaling', kind: 'Scale', version: 'v1' }],
      undefined,
    ]);
  });

  it('lets documents be cached forever under their hash, and redirects from an old one', async () => {
    const { exchange } = await ask(openApi, '/openapi/v3/version');
    const hash = exchange.responseHeaders.get('etag')?.replaceAll('"', '') ?? '';
    const current = await ask(openApi, `/openapi/v3/version?hash=${hash}`);
    expect(Object.fromEntries(current.exchange.responseHeaders.entries())).toEqual({
      vary: 'Accept',
      etag: `"${hash}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'public, immutable',
      expires: 'Sat, 02 Jan 2027 03:04:05 UTC',
      'content-type': 'application/json',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
    });
    const old = await ask(openApi, '/openapi/v3/version?hash=OLD');
    expect([old.status, old.exchange.responseHeaders.get('location'), old.body.length]).toEqual([
      301,
      `/openapi/v3/version?hash=${hash}`,
      0,
    ]);
  });

  it('is not compressed, as upstream', async () => {
    const { exchange } = await ask(openApi, '/openapi/v3/api/v1', { 'Accept-Encoding': 'gzip' });
    const { responseHeaders } = exchange;
    expect([responseHeaders.get('content-encoding'), responseHeaders.get('vary')]).toEqual([undefined, 'Accept']);
  });

  it('lists its documents in JSON, whatever is accepted', async () => {
    const { exchange } = await ask(openApi, '/openapi/v3', { Accept: 'application/yaml', 'Accept-Encoding': 'gzip' });
    expect(Object.fromEntries(exchange.responseHeaders.entries())).toEqual({
      etag: expect.stringMatching(/^"[0-9A-F]{128}"$/),
      'accept-ranges': 'bytes',
      'content-type': 'application/json',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
    });
  });

  it('has a protobuf form', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    const { exchange, body } = await ask(openApi, '/openapi/v3/api/v1', { Accept: accept });
    expect([exchange.responseHeaders.get('content-type'), Buffer.from(body.subarray(0, 7))]).toEqual([
      'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
      Buffer.from('\n\x053.0.0'),
    ]);
  });

  it.each(['/openapi/v3/apis/nope/v1', '/openapi/v3/'])('returns 404 at %s', async (url) => {
    expect((await ask(openApi, url)).status).toBe(404);
  });

  it('keeps the documents of unchanged resources', async () => {
    const container = createTestContainer([core, apps]);
    let clock = 0;
    const changing = openApiOf([], { container, now: () => (clock += 60_000) });
    const modified = async (url: string): Promise<string | undefined> =>
      (await ask(changing, url)).exchange.responseHeaders.get('last-modified');
    const before = [await modified('/openapi/v3/api/v1'), await modified('/openapi/v2')];
    const { paths } = await documentAt(changing, '/openapi/v3');
    container.replace([core]);
    const after = [await modified('/openapi/v3/api/v1'), await modified('/openapi/v2')];
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
    expect((await ask(changing, '/openapi/v3/apis/apps/v1')).status).toBe(404);
    const left = (await documentAt(changing, '/openapi/v3'))['paths'];
    expect(Object.keys(paths ?? {}).filter((name) => !Object.hasOwn(left ?? {}, name))).toEqual([
      'apis/apps',
      'apis/apps/v1',
    ]);
  });
});

it('lets go of documents of version 3 that are not listed any more', async () => {
  const container = createTestContainer([core, apps]);
  let clock = 0;
  const openApi = openApiOf([], { container, now: () => (clock += 60_000) });
  const modified = async () =>
    (await ask(openApi, '/openapi/v3/apis/apps/v1')).exchange.responseHeaders.get('last-modified');
  const first = await modified();
  for (const groups of [[core], [core, apps]]) {
    container.replace(groups);
    await ask(openApi, '/openapi/v3');
  }
  expect(await modified()).not.toBe(first);
});

describe('OpenAPI v2 over HTTP', () => {
  const openApi = openApiOf([core], {
    describe: async () => (name, property) => (property === 'data' ? `data of ${name}` : undefined),
  });

  it('returns 304 for a current ETag', async () => {
    const first = await ask(openApi, '/openapi/v2');
    const etag = first.exchange.responseHeaders.get('etag') ?? '';
    const since = first.exchange.responseHeaders.get('last-modified') ?? '';
    const statuses = await Promise.all(
      [
        { 'If-None-Match': etag },
        { 'If-None-Match': `"other", W/${etag}` },
        { 'If-Modified-Since': since },
        { 'If-None-Match': '"other"', 'If-Modified-Since': since },
        { 'If-Modified-Since': 'Fri, 02 Jan 2026 03:04:04 GMT' },
      ].map(async (headers) => (await ask(openApi, '/openapi/v2', headers)).status),
    );
    expect(statuses).toEqual([304, 304, 304, 200, 200]);
    expect(first.exchange.responseHeaders.get('vary')).toBe('Accept-Encoding, Accept');
  });

  it('refuses to repeat another method than GET for a current ETag', async () => {
    const etag = (await ask(openApi, '/openapi/v2')).exchange.responseHeaders.get('etag') ?? '';
    const send = (headers: Record<string, string>) => ask(openApi, '/openapi/v2', headers, 'POST');
    const { status, exchange } = await send({ 'If-None-Match': etag });
    expect([status, exchange.responseHeaders.get('content-type')]).toEqual([412, 'application/json']);
    expect((await send({ 'If-Modified-Since': 'Fri, 02 Jan 2099 03:04:04 GMT' })).status).toBe(200);
  });

  it('writes only the parts of changed resources again', async () => {
    const described = new Set<string>();
    const container = createTestContainer([core, apps]);
    const changing = openApiOf([], { container, describe: async () => (name) => void described.add(name) });
    const documents: Document[] = [await documentAt(changing, '/openapi/v2')];
    const deployment = 'io.k8s.api.apps.v1.Deployment';
    const isFirst = described.has(deployment);
    described.clear();
    const withoutNamespaces = { ...core, resources: core.resources.slice(1) };
    for (const groups of [[withoutNamespaces, apps], [withoutNamespaces], [core, apps]]) {
      container.replace(groups);
      documents.push(await documentAt(changing, '/openapi/v2'));
      if (documents.length === 2) expect([isFirst, described.has(deployment)]).toEqual([true, false]);
    }
    const fresh = [[core, apps], [withoutNamespaces, apps], [withoutNamespaces], [core, apps]].map((groups) =>
      documentAt(openApiOf(groups, { describe: async () => () => undefined }), '/openapi/v2'),
    );
    expect(documents).toEqual(await Promise.all(fresh));
  });

  it('renames a custom kind with the name of a definition in the scheme', async () => {
    const name = 'io.k8s.api.core.v1.ConfigMap';
    const group = 'core.api.k8s.io';
    const schema = struct(name, 'ConfigMap', () => [
      ['metadata', 0, ObjectMeta, OMIT_EMPTY],
      ['colour', 0, STRING, OMIT_EMPTY],
    ]);
    const gvk = { group, version: 'v1', kind: 'ConfigMap' };
    const kind: KindSchema = { ...ConfigMap, gvk, schema, semantics: 'structural' };
    const custom: APIGroupInfo = { group, versions: ['v1'], resources: [testResource({ versions: [kind] })] };
    const describe = async () => () => undefined;
    const [alone, both] = await Promise.all([
      documentAt(openApiOf([core, apps], { describe }), '/openapi/v2'),
      documentAt(openApiOf([core, apps, custom], { describe }), '/openapi/v2'),
    ]);
    const own = `/apis/${group}/v1/namespaces/{namespace}/configmaps/{name}`;
    const schemaOfGet = (path: string) =>
      dig(both, 'paths', path, 'get', 'responses', '200', 'schema', '$ref') ?? 'not served';
    expect(dig(both, 'definitions', name)).toEqual(dig(alone, 'definitions', name));
    expect(schemaOfGet('/api/v1/namespaces/{namespace}/configmaps/{name}')).toBe(`#/definitions/${name}`);
    expect(schemaOfGet(own)).toBe(`#/definitions/${name}_v2`);
    expect(dig(both, 'definitions', `${name}_v2`)).toEqual({
      type: 'object',
      properties: {
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        colour: { type: 'string' },
      },
      'x-kubernetes-group-version-kind': [gvk],
    });
    const v3 = await documentAt(openApiOf([core, apps, custom], { describe }), '/openapi/v3/api/v1');
    expect(v3).toEqual(await documentAt(openApiOf([core, apps], { describe }), '/openapi/v3/api/v1'));
  });

  it('compresses on request', async () => {
    const plain = await ask(openApi, '/openapi/v2');
    const { exchange, body } = await ask(openApi, '/openapi/v2', { 'Accept-Encoding': 'gzip' });
    expect(exchange.responseHeaders.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(body).equals(plain.body)).toBe(true);
  });

  it.each([
    ['deflate, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=x', null],
    ['gzip;q=', null],
    ['gzip, gzip;q=-1', null],
    ['gzip;q=0;x=1', 'gzip'],
    ['gzip, gzip;q=x', 'gzip'],
    ['gzip;q=x;x=1', null],
    ['gzip;q=0x10', null],
    ['gzip;q= 1', null],
    ['*', null],
  ])('with the encodings %s', async (encodings, encoding) => {
    const { exchange } = await ask(openApi, '/openapi/v2', { 'Accept-Encoding': encodings });
    expect(exchange.responseHeaders.get('content-encoding') ?? null).toBe(encoding);
  });

  it('responds to HEAD with only the length', async () => {
    const { body } = await ask(openApi, '/openapi/v2');
    const head = await ask(openApi, '/openapi/v2', { 'Accept-Encoding': 'gzip' }, 'HEAD');
    const { responseHeaders } = head.exchange;
    expect([head.body.length, responseHeaders.get('content-length')]).toEqual([0, String(body.length)]);
    expect(responseHeaders.get('content-encoding')).toBeUndefined();
  });

  it.each([
    [
      'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
    [
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
    ['application/json;q=0.5, application/*', 'application/json'],
    ['*/*', 'application/json'],
  ])('responds to %s with %s', async (accept, contentType) => {
    const { exchange } = await ask(openApi, '/openapi/v2', { Accept: accept });
    expect(exchange.responseHeaders.get('content-type')).toBe(contentType);
  });

  it.each(['text/html', 'application/yaml'])('refuses %s', async (accept) => {
    const { status, body } = await ask(openApi, '/openapi/v2', { Accept: accept });
    expect([status, body.length]).toEqual([406, 0]);
  });

  it('shows descriptions', async () => {
    const properties = dig(
      await documentAt(openApi, '/openapi/v2'),
      'definitions',
      ConfigMap.schema.name,
      'properties',
    );
    expect(dig(properties, 'data', 'description')).toBe('data of io.k8s.api.core.v1.ConfigMap');
  });

  it.each(['/openapi', '/openapi/v2/', '/swagger.json', '/openapi/v1'])('leaves %s to others', (url) => {
    expect(openApi.handlerFor(createTestExchange({ url }))).toBeUndefined();
  });

  it('asks for descriptions again when they could not be loaded', async () => {
    let calls = 0;
    const failing = openApiOf([core], {
      logger: { ...silent, error: () => {} },
      describe: () => (calls++ === 0 ? Promise.reject(new Error('gone')) : Promise.resolve(() => undefined)),
    });
    expect([(await ask(failing, '/openapi/v2')).status, (await ask(failing, '/openapi/v2')).status]).toEqual([
      500, 200,
    ]);
  });
});
