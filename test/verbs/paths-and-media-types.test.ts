import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMaps, widgets } from '../watch/resources.ts';
import { kinds, ServedKinds } from './served-kinds.ts';

let served: ServedKinds;
beforeAll(async () => {
  served = await ServedKinds.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const PAGE = '404 page not found\n';
const NOT_FOUND = 'the server could not find the requested resource';
const NOT_ALLOWED = 'the server does not allow this method on the requested resource';
const group = '/apis/watch.example.com/v1';

/** The text of a response: the message of a Status, or the body. */
async function reported(method: string, path: string, headers: Record<string, string> = {}) {
  const { status, body } = await served.client.request(method, path, undefined, headers);
  const isStatus = body.startsWith('{"kind":"Status"') || body.startsWith('{\n  "kind": "Status"');
  return [status, isStatus ? JSON.parse(body).message : body];
}

describe('paths', () => {
  it.each([
    ['GET', '/api/v1/namespaces/watched/configmaps/a/b/c', 404, NOT_FOUND],
    ['GET', '/api/v1/namespaces/x/y/z/too/long', 404, NOT_FOUND],
    ['GET', '/api/v1/configmaps/a', 404, NOT_FOUND],
    ['GET', '/api/v1/namespaces/watched/nodes', 404, NOT_FOUND],
    ['GET', '/api/v1/namespaces/watched/nothing', 404, NOT_FOUND],
    ['GET', '/api/v2/namespaces', 404, NOT_FOUND],
    ['GET', '/apis/apps/v9/deployments', 404, NOT_FOUND],
    ['GET', '/apis/apps/v9', 404, NOT_FOUND],
    ['GET', '/api//v1/namespaces', 404, NOT_FOUND],
    ['GET', '/api/v1//namespaces', 404, NOT_FOUND],
    ['GET', '/api/v1/watch/configmaps/a', 404, NOT_FOUND],
    ['GET', '/api/v1/proxy/namespaces/watched/configmaps/a', 404, NOT_FOUND],
    ['GET', '//api/v1/namespaces', 404, PAGE],
    ['GET', '//api/v2', 404, PAGE],
    ['GET', '/apis//', 404, PAGE],
    ['POST', '/api//', 405, NOT_ALLOWED],
    ['POST', '/apis/apps/v1//', 405, NOT_ALLOWED],
    ['POST', '/version//', 405, NOT_ALLOWED],
    ['GET', '/apis//v1/configmaps', 404, PAGE],
    ['GET', '/apis/nothing.example.com/v1/things', 404, PAGE],
    ['GET', '/nothing', 404, PAGE],
    ['POST', '/version/nothing', 404, NOT_FOUND],
    ['POST', '/openid/v1/jwks', 405, NOT_ALLOWED],
    ['GET', '/openid/v1/jwks/nothing', 404, NOT_FOUND],
    ['GET', '/.well-known/openid-configuration/nothing', 404, NOT_FOUND],
    ['PUT', '/api/v1/namespaces', 405, NOT_ALLOWED],
    ['POST', '/api/v1/configmaps', 405, NOT_ALLOWED],
    ['DELETE', '/api/v1/configmaps', 405, NOT_ALLOWED],
    ['OPTIONS', '/api/v1/namespaces/watched/configmaps/a', 405, NOT_ALLOWED],
    ['POST', '/api/v1/watch/namespaces', 405, NOT_ALLOWED],
    ['GET', '/apis/authentication.k8s.io/v1/tokenreviews', 405, NOT_ALLOWED],
    [
      'GET',
      '/api/v1/componentstatuses?watch=1',
      405,
      'watch is not supported on resources of kind "componentstatuses"',
    ],
    ['GET', '/api/v1/namespaces/..', 400, `Name parameter invalid: "..": may not be '..'`],
    ['GET', '/api/v1/namespaces/a%25b', 400, `Name parameter invalid: "a%b": may not contain '%'`],
    ['GET', '/api/v1/namespaces//configmaps/a', 400, 'Namespace parameter required.'],
    ['GET', '/api/v1/namespaces//pods/a/log', 400, 'Namespace parameter required.'],
    ['GET', '/api/v1/nodes//proxy/', 400, 'name must be provided'],
    [
      'GET',
      `/api/v1/watch/namespaces/watched/configmaps/a?fieldSelector=metadata.name%3Db`,
      400,
      "fieldSelector metadata.name doesn't match requested name",
    ],
    [
      'GET',
      '/api/v1/watch',
      500,
      'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
    ],
    [
      'GET',
      `${configMaps.path}/a?export=1`,
      400,
      'the export parameter, deprecated since v1.14, is no longer supported',
    ],
    ['GET', `${group}/widgets/a`, 404, PAGE],
    ['GET', `${group}/nothing`, 404, PAGE],
    ['GET', '/apis/watch.example.com/v2/widgets', 404, PAGE],
    ['PUT', `${group}/widgets`, 404, PAGE],
    ['GET', `${widgets.path}/a/scale`, 404, 'widgets.watch.example.com "a" not found'],
    ['GET', `${widgets.path}/a/made/up`, 404, 'widgets.watch.example.com "a" not found'],
    ['OPTIONS', `${widgets.path}/a`, 405, ' is not supported on resources of kind "widgets.watch.example.com"'],
  ])('%s %s', async (method, path, code, text) => {
    expect(await reported(method, path)).toEqual([code, text]);
  });

  it.each(kinds)('with an empty namespace, an encoded name, or a slash at the end, of $kind', async ({ path }) => {
    const alike = [
      path.replace('/watched/', '//'),
      `${path}/%61`,
      `${path}/`,
      path.replace('watched/', 'watched%2F'),
    ].map(async (same) => (await served.client.request('GET', same)).status);
    expect(await Promise.all(alike)).toEqual([200, 200, 200, 200]);
  });
});

const TABLE = 'as=Table;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const all = `application/json, application/yaml, ${PROTOBUF}`;
const ofHandler = `only the following media types are accepted: ${all}`;
const ofRoute = `406: Not Acceptable\n\nAvailable representations: ${all}`;
const streams = `application/json;stream=watch, ${PROTOBUF};stream=watch`;

it('has the address and port of the server', async () => {
  const { port } = new URL(served.url);
  const { serverAddressByClientCIDRs } = await served.client.json('GET', '/api');
  const serverAddress = expect.stringMatching(new RegExp(`^[^:]+:${port}$`));
  expect(serverAddressByClientCIDRs).toEqual([{ clientCIDR: '0.0.0.0/0', serverAddress }]);
});

it('names the informers among its checks and hooks', async () => {
  const { body } = await served.client.request('GET', '/readyz?verbose');
  const names = ['informer-sync', 'poststarthook/generic-apiserver-start-informers'];
  expect(body.split('\n')).toEqual(expect.arrayContaining(names.map((name) => `[+]${name} ok`)));
});

describe('Accept', () => {
  it.each([
    ['application/json;q=0', 'application/json'],
    ['*/*;q=0', 'application/json'],
    ['text/html, */*', 'application/json'],
    ['application/yaml', 'application/yaml'],
    [`application/cbor, application/json`, 'application/json'],
    [`application/xml;q=1, application/json;q=0.1`, 'application/json'],
    ['application/json;stream=watch', 'application/json'],
    [`application/json;${TABLE}`, 'application/json'],
    [`${PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, PROTOBUF],
  ])('%s gets %s', async (accept, contentType) => {
    const responses = kinds.map(({ path }) => served.client.request('GET', `${path}/a`, undefined, { accept }));
    const heads = (await Promise.all(responses)).map(({ status, headers }) => [status, headers['content-type']]);
    expect(heads).toEqual([
      [200, contentType],
      [200, contentType],
    ]);
  });

  it.each([
    ['application/xml', ofRoute, ofHandler],
    ['application/cbor', ofRoute, ofHandler],
    ['text/*', ofRoute, ofHandler],
    ['application/json;as=Table;v=v2;g=meta.k8s.io', ofHandler, ofHandler],
    ['application/json;as=Table;v=v1;g=elsewhere', ofHandler, ofHandler],
    ['application/json;as=Chair;v=v1;g=meta.k8s.io', ofHandler, ofHandler],
    ['application/json;as=Table', ofHandler, ofHandler],
    [`${PROTOBUF};${TABLE}`, ofHandler, ofHandler],
    ['application/yaml;stream=watch', ofHandler, ofHandler],
    ['application/json;stream=chat', ofHandler, ofHandler],
    ['application/json;sv=v9', ofHandler, ofHandler],
  ])('%s is refused', async (accept, builtIn, custom) => {
    const refusals = kinds.map(({ path }) => reported('GET', `${path}/a`, { accept }));
    expect(await Promise.all(refusals)).toEqual([
      [406, builtIn],
      [406, custom],
    ]);
  });

  it('of one object as a list of metadata is refused: of custom resources when their items are looked for', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const refusals = kinds.map(({ path }) => reported('GET', `${path}/a`, { accept }));
    expect(await Promise.all(refusals)).toEqual([
      [406, 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)'],
      [500, 'content is not a list'],
    ]);
  });

  it('of the documents of token issuers is checked by their routes', async () => {
    const accept = 'application/xml';
    const refusals = ['/openid/v1/jwks', '/.well-known/openid-configuration'].map((path) =>
      reported('GET', path, { accept }),
    );
    const types = ['application/jwk-set+json', 'application/json'];
    expect(await Promise.all(refusals)).toEqual(
      types.map((type) => [406, `406: Not Acceptable\n\nAvailable representations: ${type}`]),
    );
  });

  it('of protobuf alone is refused by custom resources, in protobuf', async () => {
    const { status, headers, body } = await served.client.request('GET', widgets.path, undefined, { accept: PROTOBUF });
    expect([status, headers['content-type'], body.includes(ofHandler)]).toEqual([406, PROTOBUF, true]);
  });

  it.each(kinds)('of YAML is refused by watches of $kind, in YAML', async ({ path }) => {
    const accept = { accept: 'application/yaml' };
    const { status, headers, body } = await served.client.request('GET', `${path}?watch=1`, undefined, accept);
    const text = body.replace(/\n {2}/g, ' ');
    expect([status, headers['content-type'], text.includes(`are accepted: ${streams}`)]).toEqual([
      406,
      'application/yaml',
      true,
    ]);
  });

  it('of nothing that OpenAPI has is an empty 406', async () => {
    const accept = { accept: 'application/xml' };
    const responses = ['/openapi/v2', '/openapi/v3/api/v1'].map((path) =>
      served.client.request('GET', path, undefined, accept),
    );
    const reported = (await Promise.all(responses)).map(({ status, headers, body }) => [
      status,
      headers['content-length'],
      body,
    ]);
    expect(reported).toEqual([
      [406, '0', ''],
      [406, '0', ''],
    ]);
  });
});

describe('Content-Type', () => {
  it.each([
    ['/version', 'application/yaml', 415],
    ['/version', 'application/json; charset=utf-8', 200],
    ['/api', 'text/plain', 415],
    ['/api', '*/*', 415],
    ['/api/v1', 'text/plain', 415],
    ['/api/v1', 'text/plain, application/yaml', 200],
    ['/api/v1/namespaces', 'text/plain', 200],
    ['/apis/apps', 'text/plain', 200],
    ['/apis', 'text/plain', 200],
    ['/openid/v1/jwks', 'text/plain', 200],
  ])('of a GET of %s: %s is a %d', async (path, contentType, status) => {
    const response = await served.client.request('GET', path, undefined, { 'content-type': contentType });
    expect(response.status).toBe(status);
  });

  it.each([
    ['PATCH', 'application/json', '415: Unsupported Media Type'],
    ['PATCH', '', '415: Unsupported Media Type'],
    ['POST', 'text/plain', `the body of the request was in an unknown format - accepted media types include: ${all}`],
    ['DELETE', 'text/plain', `the body of the request was in an unknown format - accepted media types include: ${all}`],
  ])('%s with %j is a 415', async (method, contentType, message) => {
    const path = method === 'POST' ? configMaps.path : `${configMaps.path}/a`;
    const headers = { 'content-type': contentType };
    expect(await served.refusal(method, path, headers, 'x')).toMatchObject({ code: 415, message });
  });

  it.each([
    ['a custom resource', `${widgets.path}/a`],
    ['a collection of them', widgets.path],
  ])('of a patch of %s names the types there are', async (_name, path) => {
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    expect(await served.refusal('PATCH', path, headers, {})).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });
});

describe('pretty', () => {
  it.each([
    ['', {}, false],
    ['?pretty=1', {}, true],
    ['?pretty=true', {}, true],
    ['?pretty=yes', {}, false],
    ['', { 'user-agent': 'curl/8.5.0' }, true],
    ['', { 'user-agent': 'Wget/1.21' }, true],
    ['', { 'user-agent': 'kubectl/v1.36.0' }, false],
    ['?pretty=0', { 'user-agent': 'curl/8.5.0' }, false],
    ['?pretty=', { 'user-agent': 'curl/8.5.0' }, true],
    ['', { accept: 'application/json;pretty=1' }, true],
    ['', { accept: 'application/json;pretty=true' }, false],
  ])('%s %j', async (query, headers: Record<string, string>, expected) => {
    const responses = kinds.map(({ path }) => served.client.request('GET', `${path}/a${query}`, undefined, headers));
    const indented = (await Promise.all(responses)).map(({ body }) => body.includes('\n  "metadata"'));
    expect(indented).toEqual([expected, expected]);
  });
});
