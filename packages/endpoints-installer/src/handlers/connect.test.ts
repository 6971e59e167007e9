import { PodExecOptions, PodLogOptions, PodPortForwardOptions, PodProxyOptions } from '@apiserver/api/core/v1';
import { newForbidden } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AdmissionAttributes,
  AdmissionChain,
  ApiResponse,
  ByteStream,
  RestStorage,
} from '@apiserver/apiserver-contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { servedEndpoints } from '../discovery/served-endpoint.js';
import { createTestExchange, responseBody, type TestExchangeOptions, testDefinition } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';

const ITEM = '/api/v1/namespaces/n/configmaps/a';
const connected: ApiResponse = { type: 'bytes', status: 299, body: Buffer.from('connected') };

/** The recorded calls of the storages. */
let calls: unknown[] = [];
let log: ByteStream;

function connection(methods: readonly string[], pathOption?: string): RestStorage {
  return {
    connecter: {
      methods,
      ...(pathOption === undefined ? {} : { pathOption }),
      connect: async ({ namespace }, name, options) => {
        calls.push({ namespace, name, options });
        return connected;
      },
    },
  };
}

const kinds = { exec: PodExecOptions, portforward: PodPortForwardOptions, proxy: PodProxyOptions };
const storages: Readonly<Record<string, RestStorage>> = {
  exec: connection(['GET', 'POST']),
  portforward: connection(['GET', 'POST']),
  proxy: connection(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], 'path'),
  log: {
    streamer: {
      optionsSchema: PodLogOptions,
      open: async ({ namespace }, name, options) => {
        calls.push({ namespace, name, options });
        return log;
      },
    },
  },
};

function serverWith(admission?: AdmissionChain) {
  const base = testDefinition();
  const { strategy } = base;
  const subresources = Object.fromEntries(
    Object.entries(kinds).map(([name, schema]) => [
      name,
      { strategy, schema: schema as KindSchema<object> as KindSchema },
    ]),
  );
  const definition = testDefinition({ subresources: { ...subresources, log: { strategy, verbs: ['get'] } } });
  const server = createTestServer({ ...(admission && { admission }) });
  server.container.uninstall('', 'v1');
  const installed = { definition, storage: server.storage, subresources: storages };
  server.container.install({ group: '', versions: ['v1'], resources: [installed] });
  return { server, installed };
}

async function call(options: TestExchangeOptions, admission?: AdmissionChain) {
  const { server } = serverWith(admission);
  const { status, text, exchange } = await server.call(options);
  return { status, text, contentType: exchange.responseHeaders.get('content-type') };
}

beforeEach(() => {
  calls = [];
  log = { content: undefined, contentType: 'text/plain' };
});

describe('a connection', () => {
  const exec = { apiVersion: 'v1', kind: 'PodExecOptions' };
  const ports = { apiVersion: 'v1', kind: 'PodPortForwardOptions' };

  it.each([
    [
      'exec?command=a&command=b+c&stdin=true&stdout=1&stderr=0&tty',
      { ...exec, stdin: true, stdout: true, tty: true, command: ['a', 'b c'] },
    ],
    ['exec?container=x&unknown=1', { ...exec, container: 'x', command: null }],
    ['portforward?ports=80&ports=443,8080', { ...ports, ports: [80, 443, 8080] }],
    ['portforward', ports],
  ])('gets its options from the query: %s', async (path, options) => {
    expect(await call({ url: `${ITEM}/${path}` })).toMatchObject({ status: 299, text: 'connected' });
    expect(calls).toEqual([{ namespace: 'n', name: 'a', options }]);
  });

  it.each([
    ['proxy', undefined],
    ['proxy/', '/'],
    ['proxy?path=/ignored', undefined],
    ['proxy/a/b', '/a/b'],
    ['proxy/a//b/', '/a//b/'],
    ['proxy/%2Fx%20y', '/x y'],
  ])('gets the path behind it: %s', async (path, expected) => {
    await call({ url: `${ITEM}/${path}`, method: 'PATCH' });
    expect(calls).toEqual([
      {
        namespace: 'n',
        name: 'a',
        options: { apiVersion: 'v1', kind: 'PodProxyOptions', ...(expected && { path: expected }) },
      },
    ]);
  });

  it.each([
    ['GET', 'exec?dryRun=All', 400, 'dryRun is not supported'],
    ['GET', 'portforward?ports=x', 400, 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'],
    [
      'GET',
      'portforward?ports=70000',
      400,
      'cannot convert to []int32: strconv.ParseUint: parsing "70000": value out of range',
    ],
    ['PUT', 'exec', 405, 'the server does not allow this method on the requested resource'],
    ['GET', 'exec/more', 404, 'the server could not find the requested resource'],
    ['GET', '/exec', 404, 'the server could not find the requested resource'],
  ])('refuses %s %s', async (method, path, status, message) => {
    const refused = await call({ method, url: `${ITEM}/${path}` });
    expect([refused.status, JSON.parse(refused.text).message, calls]).toEqual([status, message, []]);
  });

  it('is admitted with its options as the object, in both phases', async () => {
    const seen: unknown[] = [];
    const note =
      (phase: string) =>
      async ({ operation, object, oldObject, kind, subresource, name }: AdmissionAttributes) => {
        seen.push([phase, operation, kind.kind, subresource, name, object, oldObject]);
        if (phase === 'validate') throw newForbidden({ group: '', resource: 'pods' }, 'a', 'not here');
      };
    const admission = { handles: () => true, admit: note('admit'), validate: note('validate') };
    const refused = await call({ url: `${ITEM}/exec?command=x` }, admission);
    const object = { ...exec, command: ['x'] };
    expect([refused.status, seen, calls]).toEqual([
      403,
      ['admit', 'validate'].map((phase) => [phase, 'CONNECT', 'PodExecOptions', 'exec', 'a', object, undefined]),
      [],
    ]);
  });

  it('is listed by the verbs of its methods', () => {
    const { installed } = serverWith();
    const listed = servedEndpoints(installed, 'v1').map(({ subresource, schema, verbs }) => [
      subresource,
      schema.gvk.kind,
      verbs,
    ]);
    expect(listed.slice(1)).toEqual([
      ['exec', 'PodExecOptions', ['create', 'get']],
      ['log', 'ConfigMap', ['get']],
      ['portforward', 'PodPortForwardOptions', ['create', 'get']],
      ['proxy', 'PodProxyOptions', ['create', 'delete', 'get', 'patch', 'update']],
    ]);
  });
});

describe('a stream', () => {
  async function* lines() {
    yield Buffer.from('one\n');
    yield Buffer.from('two\n');
    throw new Error('the backend has gone');
  }

  it('is returned as it comes, and ends when it breaks', async () => {
    log = { content: lines(), contentType: 'text/plain' };
    const url = `${ITEM}/log?tailLines=5&sinceTime=2026-01-02T04:04:05%2B01:00&follow=true&limitBytes=9223372036854775807`;
    expect(await call({ url, headers: { Accept: 'application/json, */*' } })).toEqual({
      status: 200,
      text: 'one\ntwo\n',
      contentType: 'text/plain',
    });
    const options = {
      apiVersion: 'v1',
      kind: 'PodLogOptions',
      follow: true,
      sinceTime: '2026-01-02T03:04:05Z',
      tailLines: 5,
      limitBytes: 2n ** 63n - 1n,
    };
    expect(calls).toEqual([{ namespace: 'n', name: 'a', options }]);
  });

  it.each([
    [{}, 204, ''],
    [{ Accept: 'text/html' }, 406, 'text/plain, application/json'],
    [{ Accept: 'text/plain' }, 406, 'only the following media types are accepted'],
  ])('without content, asked for as %j', async (headers, status, text) => {
    const response = await call({ url: `${ITEM}/log`, headers });
    expect([response.status, response.text]).toEqual([status, expect.stringContaining(text)]);
  });

  it.each(['tailLines=x', 'sinceTime=yesterday'])('rejects %s', async (query) => {
    expect((await call({ url: `${ITEM}/log?${query}` })).status).toBe(400);
  });
});

it('a connection is not available to in-process callers of values', async () => {
  const { server } = serverWith();
  const response = await server.start(createTestExchange({ url: `${ITEM}/exec?dryRun=All`, inProcess: {} }));
  expect(response.type).toBe('value');
  await expect(responseBody(response)).rejects.toThrow('has no body');
});
