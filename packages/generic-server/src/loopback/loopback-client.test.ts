import type { Handler, WatchSource } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import type { ServerExchange } from '../serving/server-exchange.js';
import { createLoopbackClient } from './loopback-client.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

/** A watch that tells what is done with it. */
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
