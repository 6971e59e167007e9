import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { Logger } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it, vi } from 'vitest';
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

it('begins with the given pause, and reports failures to the given observer', async () => {
  const failures: unknown[] = [];
  const { queue, errors, clock } = queueOf(
    async () => {
      throw new Error('no');
    },
    { firstRetryMilliseconds: 3, failed: (key, error) => void failures.push([key, String(error)]) },
  );
  queue.add('a');
  for (const pause of [3, 6, 8]) {
    await queue.idle();
    const before = failures.length;
    clock.advance(pause - 1);
    await queue.idle();
    expect(failures.length).toBe(before);
    clock.advance(1);
  }
  await queue.idle();
  expect([failures.length, failures[0], errors]).toEqual([4, ['a', 'Error: no'], []]);
});

it('pauses for 1,000 seconds at most by default', async () => {
  const clock = new ManualClock();
  using schedule = vi.spyOn(clock, 'schedule');
  const sync = () => Promise.reject(new Error('no'));
  const { signal } = new AbortController();
  const queue = runWorkQueue({ name: 'test', sync, failed: () => {}, clock, logger: silentLogger, signal });
  queue.add('a');
  for (let i = 0; i < 20; i++) {
    await queue.idle();
    clock.advance(1_000_000);
  }
  await queue.idle();
  const pauses = schedule.mock.calls.map(([, pause]) => pause);
  expect([pauses.slice(0, 3), pauses.slice(-4)]).toEqual([
    [5, 10, 20],
    [655_360, 1_000_000, 1_000_000, 1_000_000],
  ]);
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
  expect(log).toEqual(['a']);
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

it('processes a key again, not twice at once, if its own work adds it', async () => {
  const log: string[] = [];
  const { queue } = queueOf(async (key) => {
    log.push('begin');
    if (log.length === 1) queue.add(key);
    await Promise.resolve();
    log.push('end');
  });
  queue.add('a');
  await queue.idle();
  expect(log).toEqual(['begin', 'end', 'begin', 'end']);
});

it('processes a key that is added in its own attempt behind the keys that wait', async () => {
  const log: string[] = [];
  const sync = async (key: string) => {
    log.push(key);
    if (key === 'hot' && log.length < 6) queue.add(key);
  };
  const { queue } = queueOf(sync, { workers: 1 });
  for (const key of ['hot', 'a', 'b']) queue.add(key);
  await queue.idle();
  expect(log).toEqual(['hot', 'a', 'b', 'hot', 'hot', 'hot']);
});

it('gives a free worker a key that is not in progress', async () => {
  const log: string[] = [];
  const [a, b] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sync = async (key: string) => {
    log.push(key);
    if (key === 'a') await a.promise;
    if (key === 'b') await b.promise;
  };
  const { queue } = queueOf(sync, { workers: 2 });
  for (const key of ['a', 'b', 'a', 'c']) queue.add(key);
  b.resolve();
  await vi.waitFor(() => expect(log).toEqual(['a', 'b', 'c']), { timeout: 30_000 });
  a.resolve();
  await queue.idle();
  expect(log).toEqual(['a', 'b', 'c', 'a']);
});

it('begins with the shortest pause again after a success', async () => {
  let tries = 0;
  const { queue, clock } = queueOf(async () => {
    if (++tries !== 3) throw new Error('no');
  });
  queue.add('a');
  for (const pause of [5, 8]) {
    await queue.idle();
    clock.advance(pause);
  }
  await queue.idle();
  queue.add('a');
  await queue.idle();
  clock.advance(5);
  expect(tries).toBe(5);
});

it('processes nothing after it stopped: no waiting, paused or added key, and reports no failure', async () => {
  const log: string[] = [];
  const retried = vi.fn();
  const gate = Promise.withResolvers<void>();
  const metrics = { added: () => {}, started: () => {}, done: () => {}, retried };
  const sync = async (key: string) => {
    log.push(key);
    await gate.promise;
  };
  const { queue, clock, stop, errors } = queueOf(sync, { workers: 1, metrics });
  queue.add('busy');
  queue.add('waiting');
  const schedule = vi.spyOn(clock, 'schedule');
  const cancelled: string[] = [];
  schedule.mockReturnValue(() => void cancelled.push('paused'));
  queue.addAfter('paused', 10);
  stop.abort();
  queue.add('added');
  queue.addAfter('later', 10);
  queue.addAfter('now', 0);
  gate.reject(new Error('no'));
  await queue.idle();
  expect([log, cancelled, errors]).toEqual([['busy'], ['paused'], []]);
  expect([schedule.mock.calls.length, retried.mock.calls.length]).toEqual([1, 1]);
});

it('measures how long keys wait and take', async () => {
  const times: string[] = [];
  const metrics: WorkQueueMetrics = {
    added: () => {},
    started: (key, _depth, waited) => void times.push(`${key} waited ${waited}`),
    done: (key, took) => void times.push(`${key} took ${took}`),
    retried: () => {},
  };
  const sync = async (key: string) => clock.advance(key === 'a' ? 2000 : 500);
  const { queue, clock } = queueOf(sync, { metrics, workers: 1 });
  queue.add('a');
  queue.add('b');
  clock.advance(1000);
  await queue.idle();
  expect(times).toEqual(['a waited 0', 'a took 3', 'b waited 1', 'b took 0.5']);
});

it('names itself and the key in the log', async () => {
  const lines: unknown[] = [];
  const log = (message: string, fields?: object) => void lines.push([message, fields]);
  const logger: Logger = {
    info: () => {},
    warning: log,
    error: (_error, message, fields) => log(message, fields),
    v: () => undefined,
    named: () => logger,
  };
  const { queue } = queueOf(() => Promise.reject(new Error('no')), { retries: 0, logger });
  queue.add('a');
  await queue.idle();
  expect(lines).toEqual([
    ['Sync failed', { controller: 'test', key: 'a' }],
    ['Dropping key out of the queue', { controller: 'test', key: 'a' }],
  ]);
});

it.each([
  [true, 5],
  [false, 0],
])('lets other work run before and between keys when its slice is over: %s', async (isOver, expected) => {
  using _over = vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(isOver);
  using yields = vi.spyOn(TimeSlice.prototype, 'yield');
  const log: string[] = [];
  const { queue } = queueOf(async (key) => void log.push(key), { workers: 1 });
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await queue.idle();
  expect([log, yields.mock.calls.length]).toEqual([['a', 'b', 'c'], expected]);
});

it.each([1, 20])('lets other work run while each key adds the next one, with %i workers', async (workers) => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  using _stop = { [Symbol.dispose]: () => clearInterval(counting) };
  const end = Promise.withResolvers<void>();
  const { queue } = queueOf(
    async (key) => {
      for (const until = performance.now() + 1; performance.now() < until; );
      await Promise.resolve();
      if (Number(key) === 100) end.resolve();
      else queue.add(String(Number(key) + 1));
    },
    { workers },
  );
  queue.add('1');
  await end.promise;
  expect(turns).toBeGreaterThan(3);
});

it('takes no key after its end, and counts a key that waits once', async () => {
  const added: number[] = [];
  const waits: number[] = [];
  const metrics: WorkQueueMetrics = {
    added: (depth) => void added.push(depth),
    started: (_key, _depth, seconds) => void waits.push(seconds),
    done: () => {},
    retried: () => {},
  };
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const sync = async (key: string) => {
    log.push(key);
    await gate.promise;
  };
  const { queue, stop, clock } = queueOf(sync, { workers: 1, metrics });
  for (const key of ['a', 'b']) queue.add(key);
  clock.advance(2000);
  for (const key of ['b', 'a']) queue.add(key);
  expect([log, added]).toEqual([['a'], [1, 1, 2]]);
  clock.advance(1000);
  gate.resolve();
  await queue.idle();
  expect([log, waits]).toEqual([
    ['a', 'b', 'a'],
    [0, 3, 1],
  ]);
  stop.abort();
  queue.add('c');
  await queue.idle();
  expect([log.length, added.length]).toEqual([3, 3]);
});
