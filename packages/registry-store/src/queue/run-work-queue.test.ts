import type { Logger } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { runWorkQueue, type WorkQueueOptions } from './run-work-queue.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

function queueOf(sync: (key: string) => Promise<void>, limits: Partial<WorkQueueOptions> = {}) {
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

it('processes no more keys at once than it has workers', async () => {
  const log: string[] = [];
  const gates = {
    a: Promise.withResolvers<void>(),
    b: Promise.withResolvers<void>(),
    c: Promise.withResolvers<void>(),
  };
  const { queue } = queueOf(
    async (key) => {
      log.push(key);
      await gates[key as keyof typeof gates].promise;
    },
    { workers: 2 },
  );
  for (const key of ['a', 'b', 'c']) queue.add(key);
  expect(log).toEqual(['a', 'b']);
  for (const gate of Object.values(gates)) gate.resolve();
  await queue.idle();
  expect(log).toEqual(['a', 'b', 'c']);
});

it('adds a key after the shortest of its pauses, and none after it stopped', async () => {
  const log: string[] = [];
  const { queue, clock, stop } = queueOf(async (key) => void log.push(key));
  queue.addAfter('a', 20);
  queue.addAfter('a', 10);
  queue.addAfter('a', 30);
  clock.advance(10);
  clock.advance(100);
  await queue.idle();
  queue.addAfter('b', 10);
  stop.abort();
  clock.advance(100);
  expect(log).toEqual(['a']);
});

it('processes a key that is added during its pause, and again after the pause', async () => {
  const log: string[] = [];
  const { queue, clock } = queueOf(async (key) => void log.push(`${key} ${clock.now() - start}`));
  const start = clock.now();
  queue.addAfter('a', 20);
  clock.advance(5);
  queue.add('a');
  await queue.idle();
  queue.addAfter('a', 30);
  clock.advance(15);
  await queue.idle();
  clock.advance(100);
  await queue.idle();
  queue.addAfter('a', 0);
  await queue.idle();
  expect(log).toEqual(['a 5', 'a 20', 'a 120']);
});

it('counts its work', async () => {
  const counts: string[] = [];
  const metrics: WorkQueueMetrics = {
    added: (depth) => void counts.push(`added ${depth}`),
    started: (key, depth) => void counts.push(`started ${key} ${depth}`),
    done: (key) => void counts.push(`done ${key}`),
    retried: () => void counts.push('retried'),
  };
  const sync = async (key: string) => {
    if (key === 'b') throw new Error('no');
  };
  const { queue } = queueOf(sync, { metrics, workers: 1 });
  queue.add('a');
  queue.add('b');
  await queue.idle();
  expect(counts).toEqual(['added 1', 'started a 0', 'added 1', 'done a', 'started b 0', 'retried', 'done b']);
});
