import type { KubeObject } from '@apiserver/apimachinery';
import { unwrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import { newResourceExpired } from '@apiserver/apimachinery/errors';
import type { ApiResponse } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { noEndpointMetrics } from '../scope/endpoint-metrics.js';
import {
  createTestExchange,
  createTestResponseWriter,
  type TestExchangeOptions,
  type TestResponseWriter,
  testDefinition,
} from '../testing/index.js';
import { createTestServer, type TestServerOptions } from '../testing/test-server.js';

const LIST = '/api/v1/namespaces/n/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function configMap(name: string, rest: Partial<KubeObject> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' }, ...rest };
}

const json = (name: string, resourceVersion: string) =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","namespace":"n","resourceVersion":"${resourceVersion}"}}`;

interface Watch {
  readonly response: ApiResponse;
  readonly writer: TestResponseWriter;
  readonly done: Promise<void>;
  readonly exchange: ReturnType<typeof createTestExchange>;
}

async function watch(server: ReturnType<typeof createTestServer>, options: TestExchangeOptions = {}): Promise<Watch> {
  const exchange = createTestExchange({ url: `${LIST}?watch=1`, ...options });
  const response = await server.start(exchange);
  const writer = createTestResponseWriter();
  const done = response.type === 'stream' ? response.run(writer) : Promise.resolve();
  return { response, writer, done, exchange };
}

function started(options: TestServerOptions = {}) {
  const server = createTestServer(options);
  return { server, a: server.storage.put(configMap('a')) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('writes a line per event and ends after timeoutSeconds', async () => {
  const { server, a } = started();
  const { writer, done, exchange } = await watch(server, { url: `${LIST}?watch=1&timeoutSeconds=7` });
  server.storage.emit('MODIFIED', a);
  server.storage.emit('DELETED', a);
  const type = exchange.responseHeaders.get('content-type');
  vi.advanceTimersByTime(6_999);
  const before = server.storage.watching.size;
  vi.advanceTimersByTime(1);
  await done;
  const lines = ['ADDED', 'MODIFIED', 'DELETED'].map((event) => `{"type":"${event}","object":${json('a', '1')}}\n`);
  expect([type, writer.text(), before, server.storage.watching.size]).toEqual([
    'application/json',
    lines.join(''),
    1,
    0,
  ]);
});

test.each([
  ['', 1800 * 1.5],
  ['&timeoutSeconds=0', 1800 * 1.5],
  ['&timeoutSeconds=5000', 5000],
  ['&timeoutSeconds=99999999', 2 ** 31 / 1000],
])('lives its time: %j', async (query, seconds) => {
  const { server } = started();
  const { done } = await watch(server, { url: `${LIST}?watch=1${query}` });
  vi.advanceTimersByTime(seconds * 1000 - 2000);
  const before = server.storage.watching.size;
  vi.advanceTimersByTime(2000);
  await done;
  expect([before, server.storage.watching.size]).toEqual([1, 0]);
});

test('ends before its first event if its time is negative', async () => {
  const { server } = started();
  const { done, response, writer } = await watch(server, { url: `${LIST}?watch=1&timeoutSeconds=-1` });
  await done;
  expect([response, writer.text(), server.storage.watching.size]).toEqual([
    expect.objectContaining({ status: 200 }),
    '',
    0,
  ]);
});

test('shares one frame among all watchers of a form', async () => {
  const { server, a } = started();
  const metadata = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
  const watches = [
    await watch(server),
    await watch(server),
    await watch(server, { headers: { Accept: metadata } }),
    await watch(server, { headers: { Accept: metadata } }),
  ];
  const event = server.storage.emit('MODIFIED', a);
  const frames = watches.map(({ writer }) => writer.chunks[1]);
  expect([frames[0] === frames[1], frames[2] === frames[3], frames[0] === frames[2], event.frames.size]).toEqual([
    true,
    true,
    false,
    2,
  ]);
});

test('protobuf frames', async () => {
  const sizes: number[] = [];
  const metrics = { ...noEndpointMetrics, watchEvents: () => (bytes: number) => void sizes.push(bytes) };
  const { server } = started({ metrics });
  const { writer, exchange } = await watch(server, { headers: { Accept: PROTOBUF } });
  const frame = Buffer.from(writer.chunks[0]!);
  expect(sizes).toEqual([frame.length - 4]);
  const objectAt = frame.indexOf('k8s\0');
  const unknown = unwrapUnknown(frame.subarray(objectAt));
  expect({
    type: exchange.responseHeaders.get('content-type'),
    length: frame.readUInt32BE(0) === frame.length - 4,
    event: frame.subarray(4, 11).toString('latin1'),
    kind: [unknown.apiVersion, unknown.kind],
  }).toEqual({ type: `${PROTOBUF};stream=watch`, length: true, event: '\n\x05ADDED', kind: ['v1', 'ConfigMap'] });
});

test('the first Table has columns, later ones have none', async () => {
  const { server, a } = started();
  const { writer } = await watch(server, { headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  const event = server.storage.emit('MODIFIED', a);
  const tables = writer
    .text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).object);
  expect([
    tables.map(({ columnDefinitions }) => columnDefinitions?.length ?? null),
    tables[1].rows[0].cells,
    event.frames.size,
  ]).toEqual([[2, null], ['a', 0], 0]);
});

test('a bookmark is a row of a Table too', async () => {
  const columns = [
    {
      name: 'Name',
      type: 'string',
      format: '',
      description: '',
      priority: 0,
      cell: ({ metadata }: KubeObject) => metadata.name ?? '',
    },
  ];
  const { server } = started({ definition: testDefinition({ columns }) });
  const { writer } = await watch(server, { headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  const bookmark = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: '9' } };
  server.storage.emit('BOOKMARK', { object: bookmark, resourceVersion: '9', wire: () => undefined });
  const { type, object } = JSON.parse(Buffer.from(writer.chunks[1]!).toString());
  expect([type, object.metadata, object.rows[0].cells]).toEqual(['BOOKMARK', { resourceVersion: '9' }, ['']]);
});

describe('ends', () => {
  test('with an ERROR event when the source breaks', async () => {
    const { server } = started();
    const { writer, done } = await watch(server);
    const [sink] = server.storage.watching;
    sink?.end(newResourceExpired('too old resource version: 1 (5)'));
    await done;
    expect([writer.text().split('\n')[1], server.storage.watching.size]).toEqual([
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",' +
        '"message":"too old resource version: 1 (5)","reason":"Expired","code":410}}',
      0,
    ]);
  });

  test('when the client disconnects', async () => {
    const { server } = started();
    const { exchange, done } = await watch(server);
    exchange.abort(new Error('gone'));
    await done;
    expect([server.storage.watching.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('when the client disconnected before the stream started', async () => {
    const { server } = started();
    const exchange = createTestExchange({ url: `${LIST}?watch=1` });
    const response = await server.start(exchange);
    exchange.abort(new Error('gone'));
    if (response.type === 'stream') await response.run(createTestResponseWriter());
    expect([response.type, server.storage.watching.size, vi.getTimerCount()]).toEqual(['stream', 0, 0]);
  });

  test('if the client disconnected before the stream was requested', async () => {
    const { server } = started();
    const exchange = createTestExchange({ url: `${LIST}?watch=1` });
    const response = await server.start(exchange);
    const before = server.storage.openWatches;
    exchange.finish();
    expect([response.type, before, server.storage.openWatches]).toEqual(['stream', 1, 0]);
  });

  test.each<[string, readonly (readonly [time: number, queued: number])[]]>([
    [
      'for two seconds',
      [
        [0, 101],
        [1_999, 101],
        [2_000, 101],
      ],
    ],
    [
      'again',
      [
        [0, 101],
        [1_000, 100],
        [2_000, 101],
        [3_999, 101],
        [4_000, 101],
      ],
    ],
    [
      'by far',
      [
        [0, 400],
        [1, 401],
      ],
    ],
  ])('when the client does not keep up %s', async (_how, events) => {
    let time = 0;
    const terminated: unknown[] = [];
    const metrics = { ...noEndpointMetrics, watchTerminated: (resource: unknown) => void terminated.push(resource) };
    const { server, a } = started({ maxWatchBufferBytes: 100, metrics });
    const { writer, done } = await watch(server);
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    onTestFinished(() => void vi.restoreAllMocks());
    const open: number[] = [];
    for (const [at, queued] of events) {
      time = at;
      writer.bufferedBytes = queued;
      server.storage.emit('MODIFIED', a);
      open.push(server.storage.watching.size);
    }
    await done;
    expect(open).toEqual(events.map((_event, index) => (index === events.length - 1 ? 0 : 1)));
    expect(writer.chunks.length).toBe(events.length);
    expect(terminated).toEqual([{ group: '', version: 'v1', resource: 'configmaps' }]);
  });

  test('silently when an object cannot be encoded', async () => {
    const { server, a } = started();
    const { writer, done } = await watch(server);
    const broken = {
      ...a,
      wire: () => undefined,
      get object(): KubeObject {
        throw new TypeError('broken');
      },
    };
    server.storage.emit('MODIFIED', broken);
    await done;
    expect([writer.chunks.length, server.storage.watching.size]).toEqual([1, 0]);
  });

  test('at the first object if metadata of a list was requested', async () => {
    const server = createTestServer();
    const list = { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
    const { response, writer, done } = await watch(server, { headers: list });
    const before = server.storage.watching.size;
    server.storage.emit('ADDED', server.storage.put(configMap('a')));
    await done;
    expect([response.type, before, writer.chunks.length, server.storage.watching.size]).toEqual(['stream', 1, 0, 0]);
  });
});

test('asks past events to wait for a client that is behind', async () => {
  const { server } = started({ maxWatchBufferBytes: 100 });
  const { writer } = await watch(server);
  const [sink] = server.storage.watching;
  const now = sink?.ready?.();
  writer.bufferedBytes = 60;
  expect([now, sink?.ready?.()]).toEqual([undefined, expect.any(Promise)]);
});

test('the path prefix is the same as the parameter', async () => {
  const { server } = started();
  server.storage.put(configMap('b'));
  const one = await watch(server, { url: '/api/v1/watch/namespaces/n/configmaps/b' });
  const all = await watch(server, { url: '/api/v1/watch/configmaps' });
  const other = await watch(server, { url: '/api/v1/watch/namespaces/m/configmaps' });
  expect([one.writer.chunks.length, all.writer.chunks.length, other.writer.chunks.length]).toEqual([1, 2, 0]);
});

const STATE = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
test.each<readonly [string, object]>([
  ['?watch=1', STATE],
  ['?watch=1&resourceVersion=0', { ...STATE, resourceVersion: '0' }],
  ['?watch=1&resourceVersion=', { ...STATE, resourceVersion: '' }],
  ['?watch=1&resourceVersion=5', { resourceVersion: '5' }],
  ['?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', { ...STATE, sendInitialEvents: false }],
])('begins as upstream would: %s', async (query, expected) => {
  const { server } = started();
  const seen: object[] = [];
  const original = server.storage.watch.bind(server.storage);
  server.storage.watch = (context, options) => {
    const { resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
    seen.push({ resourceVersion, resourceVersionMatch, sendInitialEvents });
    return original(context, options);
  };
  await watch(server, { url: LIST + query });
  expect(seen).toEqual([expected]);
});

test.each<readonly [string, string, string]>([
  ['/api/v1/watch/configmaps', '', 'cluster'],
  ['/api/v1/watch/configmaps', '&fieldSelector=metadata.namespace=n', 'namespace'],
  ['/api/v1/watch/configmaps', '&fieldSelector=metadata.name=a', 'resource'],
  [LIST, '', 'namespace'],
])('measures initial events by the scope of the selector, too: %s %s', async (path, selector, expected) => {
  const scopes: string[] = [];
  const metrics = { ...noEndpointMetrics, watchListed: (_resource: object, scope: string) => void scopes.push(scope) };
  const { server } = started({ metrics });
  const query = `watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan${selector}`;
  const { exchange } = await watch(server, { url: `${path}?${query}` });
  exchange.context.watchInitialized?.();
  expect(scopes).toEqual([expected]);
});

test('in-process callers get the source', async () => {
  const { server } = started();
  const { response } = await watch(server, { inProcess: {} });
  expect(response).toEqual({
    type: 'value',
    status: 200,
    value: { start: expect.any(Function), close: expect.any(Function) },
  });
});

test.each<readonly [string, string, number, string]>([
  [
    'text/html',
    '',
    406,
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  ],
  [
    '',
    '&sendInitialEvents=true',
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ],
  [
    '',
    '&resourceVersionMatch=NotOlderThan',
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
  ],
  ['', '&timeoutSeconds=soon', 400, 'strconv.ParseInt: parsing "soon": invalid syntax'],
])('refuses %s %s', async (Accept, query, code, message) => {
  const { server } = started();
  const { status, text } = await server.call({ url: `${LIST}?watch=1${query}`, headers: { Accept } });
  expect([status, JSON.parse(text).message, server.storage.watching.size]).toEqual([code, message, 0]);
});

test('YAML has no stream', async () => {
  const { server } = started();
  const { status, text } = await server.call({ url: `${LIST}?watch=1`, headers: { Accept: 'application/yaml' } });
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  expect([status, text.replaceAll('\n  ', ' '), server.storage.watching.size]).toEqual([
    406,
    expect.stringContaining(`only the following media types are accepted: ${streams}`),
    0,
  ]);
});
