import type { Handler, StoredObject, WatchSource } from '@apiserver/apiserver-contracts';
import { expect, it, vi } from 'vitest';
import type { ServerExchange } from '../serving/transport/server-exchange.js';
import { createLoopbackClient } from './loopback-client.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

/** A watch that records its calls. */
function recordingSource(done: string[]): WatchSource {
  return { start: () => done.push('started'), close: () => done.push('closed') };
}

it('ends a watch that the server breaks off while it is opened, so that shutdown does not wait for it', async () => {
  const done: string[] = [];
  const handler: Handler = async (exchange) => {
    exchange.onFinished(() => done.push('finished'));
    (exchange as ServerExchange).abort(new Error('apiserver is shutting down'));
    return { type: 'value', status: 200, value: recordingSource(done) };
  };
  const client = createLoopbackClient({ handler, now: () => 0 });
  const source = await client.resource(namespaces).watch('');
  source.start({ event: () => {}, end: () => done.push('ended') });
  expect(done).toEqual(['closed', 'finished', 'ended']);
});

it.each<[string, string, string]>([
  ['', '', 'resource name may not be empty'],
  ['', 'a/status', `invalid resource name "a/status": [may not contain '/']`],
  ['', 'a%2f/b', `invalid resource name "a%2f/b": [may not contain '/' may not contain '%']`],
  ['', '..', `invalid resource name "..": [may not be '..']`],
  ['n/pods', 'a', `invalid namespace "n/pods": [may not contain '/']`],
])('asks nothing of the server for an object at namespace %j and name %j', async (namespace, name, message) => {
  const requested: string[] = [];
  const handler: Handler = async ({ request }) => {
    requested.push(request.path);
    return { type: 'value', status: 200, value: recordingSource([]) };
  };
  const client = createLoopbackClient({ handler, now: () => 0 }).resource(namespaces);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const refusal = { status: { code: 500, message } };
  await expect(client.get(namespace, name)).rejects.toMatchObject(refusal);
  await expect(client.update(namespace, body)).rejects.toMatchObject(refusal);
  await expect(client.delete(namespace, name)).rejects.toMatchObject(refusal);
  expect(requested).toEqual([]);
});

it('has a large object decoded in turns, and a small one at once', async () => {
  const decoded: string[] = [];
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
  const stored = (isLarge: boolean) => ({
    wire: () => undefined,
    load: () => (isLarge ? Promise.resolve(object).finally(() => decoded.push('in turns')) : undefined),
    get object() {
      decoded.push('at once');
      return object;
    },
  });
  const handler: Handler = ({ request }) => {
    const value = stored(request.path.endsWith('large')) as unknown as StoredObject;
    return { type: 'value', status: 200, value };
  };
  const client = createLoopbackClient({ handler, now: () => 0 }).resource(namespaces);
  expect([await client.get('', 'large'), await client.get('', 'small'), decoded]).toEqual([
    object,
    object,
    ['in turns', 'at once'],
  ]);
});

it('reads the JSON of a server elsewhere, and sends it bodies as JSON', async () => {
  const object = { apiVersion: 'g/v1', kind: 'Flunder', metadata: { name: 'a', resourceVersion: '3' } };
  const list = { apiVersion: 'g/v1', kind: 'FlunderList', metadata: { resourceVersion: '7', continue: 'c' } };
  const sent: string[] = [];
  const handler: Handler = async ({ request }) => {
    const body = request.bodyStream();
    sent.push(`${request.method} ${body === undefined ? '' : (await body.toArray()).join('')}`);
    const isList = request.path.endsWith('flunders') && request.method === 'GET';
    const text = JSON.stringify(isList ? { ...list, items: [object] } : object);
    const half = Math.ceil(text.length / 2);
    const chunks = [text.slice(0, half), text.slice(half)].map((part) => Buffer.from(part));
    return { type: 'chunks', status: 200, chunks, isPatient: true };
  };
  const client = createLoopbackClient({ handler, now: () => 0 }).resource({ ...namespaces, resource: 'flunders' });
  const { items, ...rest } = await client.list('n');
  expect([items.map((item) => item.object), rest]).toEqual([[object], { resourceVersion: '7', continue: 'c' }]);
  expect([await client.get('n', 'a'), await client.update('n', object)]).toEqual([object, object]);
  await client.delete('n', 'a', { propagationPolicy: 'Orphan' });
  expect(sent).toEqual([
    'GET ',
    'GET ',
    `PUT ${JSON.stringify(object)}`,
    `DELETE ${JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', metadata: {}, propagationPolicy: 'Orphan' })}`,
  ]);
});

it('throws the Status that a server elsewhere responds with', async () => {
  const status = {
    kind: 'Status',
    status: 'Failure',
    reason: 'NotFound',
    message: 'flunders "a" not found',
    code: 404,
  };
  const handler: Handler = () => ({ type: 'chunks', status: 404, chunks: [Buffer.from(JSON.stringify(status))] });
  const client = createLoopbackClient({ handler, now: () => 0 }).resource(namespaces);
  await expect(client.get('', 'a')).rejects.toMatchObject({ status });
});

it('ends the body of a server elsewhere that never ends', async () => {
  let ended = false;
  const chunks = async function* () {
    try {
      for (;;) yield Buffer.alloc(1024 * 1024, ' ');
    } finally {
      ended = true;
    }
  };
  const handler: Handler = () => ({ type: 'chunks', status: 200, chunks: chunks(), isPatient: true });
  const client = createLoopbackClient({ handler, now: () => 0 }).resource(namespaces);
  await expect(client.list('')).rejects.toThrow('Internal error occurred: the body is larger than 33554432 bytes');
  expect(ended).toBe(true);
});

it('reads events whose bytes come one by one, and ends a watch whose event never ends', async () => {
  const heard: string[] = [];
  const name = 'ä';
  const line = `${JSON.stringify({ type: 'ADDED', object: { kind: 'Flunder', metadata: { name } } })}\n\n`;
  const handler: Handler = () => {
    const chunks = (async function* () {
      for (const byte of Buffer.from(line + line)) yield Buffer.of(byte);
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    })();
    return { type: 'chunks', status: 200, chunks, isPatient: true };
  };
  const source = await createLoopbackClient({ handler, now: () => 0 })
    .resource(namespaces)
    .watch('');
  source.start({
    event: ({ type, object }) => heard.push(`${type} ${object.object.metadata.name}`),
    end: (error) => heard.push(`ended: ${error?.message}`),
  });
  const end = 'ended: Internal error occurred: an event of the watch is too large';
  await vi.waitFor(() => expect(heard).toEqual(['ADDED ä', 'ADDED ä', end]), 30_000);
});

it('follows a watch on a server elsewhere until it is closed', async () => {
  const event = (type: string, name: string) => ({ type, object: { kind: 'Flunder', metadata: { name } } });
  const lines = [event('ADDED', 'a'), event('DELETED', 'a')].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
  const done: string[] = [];
  const over = Promise.withResolvers<void>();
  const handler: Handler = (exchange) => {
    exchange.onFinished(() => {
      done.push('finished');
      over.resolve();
    });
    const chunks = (async function* () {
      yield* lines;
      await over.promise;
    })();
    return { type: 'chunks', status: 200, chunks, isPatient: true };
  };
  const client = createLoopbackClient({ handler, now: () => 0 }).resource(namespaces);
  const source = await client.watch('');
  source.start({
    event: ({ type, object }) => done.push(`${type} ${object.object.metadata.name}`),
    end: () => done.push('ended'),
  });
  await expect.poll(() => done).toEqual(['ADDED a', 'DELETED a']);
  source.close();
  await over.promise;
  expect(done).toEqual(['ADDED a', 'DELETED a', 'finished']);
});
