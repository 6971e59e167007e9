import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { PreparedEvents } from './prepared-events.js';

const object = (resourceVersion: string) => ({
  object: {} as never,
  resourceVersion,
  byteLength: 10,
  wire: () => undefined,
});
const event = (version: string): WatchEvent => ({ type: 'ADDED', object: object(version), frames: new Map() });

/** Events whose version ends with `+` must be prepared. Those with `!` fail. */
function events() {
  const log: string[] = [];
  const queue = new PreparedEvents({
    prepare: ({ object: { resourceVersion: version } }) => {
      if (/\d$/.test(version)) return undefined;
      log.push(`prepare ${version}`);
      return version.endsWith('!') ? Promise.reject(new Error(version)) : Promise.resolve();
    },
    take: ({ object: { resourceVersion } }) => void log.push(resourceVersion),
    fail: (error) => void log.push(`fail ${(error as Error).message}`),
  });
  const push = (...versions: readonly string[]): void => {
    for (const version of versions) queue.push(event(version));
  };
  return { log, queue, push };
}

it('passes events on at once while none is pending, then in order', async () => {
  const { log, queue, push } = events();
  push('1', '2', '3+', '4', '5+');
  expect([log.splice(0), queue.bytes]).toEqual([['1', '2', 'prepare 3+'], 30]);
  await queue.drained();
  push('6');
  expect([log, queue.bytes, queue.drained()]).toEqual([['3+', '4', 'prepare 5+', '5+', '6'], 0, undefined]);
});

it('ends with the first that cannot be prepared', async () => {
  const { log, queue, push } = events();
  push('1', '2!', '3');
  await queue.drained();
  expect([log, queue.bytes]).toEqual([['1', 'prepare 2!', 'fail 2!'], 0]);
});

it('drops pending events when it is stopped', async () => {
  const { log, queue, push } = events();
  push('1+', '2');
  const drained = queue.drained();
  queue.stop();
  await drained;
  expect([log, queue.bytes]).toEqual([['prepare 1+'], 0]);
});
