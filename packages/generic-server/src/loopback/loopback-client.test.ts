import type { Handler, WatchSource } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
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
