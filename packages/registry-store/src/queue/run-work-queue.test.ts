import type { Logger } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { runWorkQueue } from './run-work-queue.js';

function queueOf(sync: (key: string) => Promise<void>, limits: { readonly retries?: number } = {}) {
  const clock = new ManualClock();
  const errors: string[] = [];
  const logger: Logger = {
    info: () => {},
    warning: (message) => void errors.push(message),
    error: (error, message) => void errors.push(`${message}: ${error}`),
    v: () => undefined,
    named: () => logger,
  };
  const stop = new AbortController();
  const options = { name: 'test', sync, longestRetryMilliseconds: 8, clock, logger, signal: stop.signal, ...limits };
  return { queue: runWorkQueue(options), errors, stop, clock };
}

it('processes a key once at a time, and again if it was added in the meantime', async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { queue } = queueOf(async (key) => {
    log.push(`+${key}`);
    await gate.promise;
    log.push(`-${key}`);
  });
  for (const key of ['a', 'a', 'b', 'a']) queue.add(key);
  gate.resolve();
  await queue.idle();
  expect(log).toEqual(['+a', '+b', '-a', '-b', '+a', '-a']);
});

it('retries after a pause that doubles up to the maximum, until it is stopped', async () => {
  let tries = 0;
  const { queue, errors, clock, stop } = queueOf(async () => {
    tries++;
    throw new Error('no');
  });
  queue.add('a');
  for (const pause of [5, 8, 8]) {
    await queue.idle();
    clock.advance(pause - 1);
    const before = tries;
    clock.advance(1);
    expect(tries).toBe(before + 1);
  }
  await queue.idle();
  stop.abort();
  clock.advance(100);
  expect([tries, errors.length, errors[0]]).toEqual([4, 4, 'Sync failed: Error: no']);
});

it('drops a key that failed too often, and accepts it again', async () => {
  const { queue, errors, clock } = queueOf(
    async () => {
      throw new Error('no');
    },
    { retries: 1 },
  );
  queue.add('a');
  for (let i = 0; i < 3; i++) {
    await queue.idle();
    clock.advance(100);
  }
  expect(errors).toEqual(['Sync failed: Error: no', 'Sync failed: Error: no', 'Dropping key out of the queue']);
  queue.add('a');
  await queue.idle();
  expect(errors.length).toBe(4);
});
