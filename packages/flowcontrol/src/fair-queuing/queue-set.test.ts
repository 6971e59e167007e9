import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualLoop } from '../testing/manual-loop.js';
import { TestQueueSet } from '../testing/test-queue-set.js';
import { Turns } from '../turns/turns.js';
import { ONE_SEAT } from './work-estimate.js';

const QUEUING = { queues: 4, queueLengthLimit: 3, handSize: 2 };

/** One step of a schedule: a request arrives, ends, vanishes, or the configuration changes. */
type Step =
  | { readonly op: 'arrive'; readonly flow: number; readonly seats: readonly [number, number, number] }
  | { readonly op: 'finish' | 'cancel'; readonly pick: number }
  | { readonly op: 'configure'; readonly queues: number; readonly limit: number; readonly reserve: number }
  | { readonly op: 'wait'; readonly milliseconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('arrive' as const),
      flow: fc.nat(4),
      seats: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(9), fc.nat(20)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('finish' as const, 'cancel' as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('configure' as const),
      queues: fc.constantFrom(0, 1, 2, 4, 9),
      limit: fc.nat(8),
      reserve: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('wait' as const), milliseconds: fc.nat(30) }) },
);

function queuingFor(queues: number) {
  return { queues, queueLengthLimit: 3, handSize: Math.min(2, queues) };
}

function play(set: TestQueueSet, one: Step, index: number): void {
  if (one.op === 'arrive') {
    const [initialSeats, finalSeats, additionalLatency] = one.seats;
    set.arrive(`r${index}`, BigInt(one.flow * 7919), { initialSeats, finalSeats, additionalLatency });
  } else if (one.op === 'configure') set.configure(queuingFor(one.queues), one.limit, Math.min(one.limit, one.reserve));
  else if (one.op === 'wait') set.clock.advanceTo(set.clock.now() + one.milliseconds);
  else {
    const names = set.named(one.op === 'finish' ? 'executing' : 'waiting');
    const name = names[one.pick % Math.max(1, names.length)];
    if (name !== undefined) set[one.op](name);
  }
}

/** Sums over all requests must be those of the set and of its metrics. */
function expectBalance(set: TestQueueSet): void {
  const { queueSet, counters } = set;
  const executing = set.named('executing').length;
  const waiting = set.named('waiting').length;
  expect([queueSet.executing, queueSet.waiting]).toEqual([executing, waiting]);
  expect([counters.executingRequests.value, counters.inQueueRequests.value]).toEqual([executing, waiting]);
  const queues = [...queueSet.queues];
  expect(queues.map(({ index }) => index)).toEqual(queues.map((_, i) => i));
  expect(queues.reduce((sum, queue) => sum + queue.waiting, 0)).toBe(waiting);
  expect(queueSet.queues.active).toBe(queues.filter((queue) => !queue.isIdle).length);
  expect(counters.executingSeats.value).toBe(queueSet.seatsInUse);
  expect(counters.inQueueSeats.value).toBe(queueSet.queues.seatsWaiting);
}

describe('any schedule', () => {
  it('loses no seat and no request', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const set = new TestQueueSet(QUEUING, 5);
        for (const [i, one] of steps.entries()) {
          play(set, one, i);
          expectBalance(set);
        }
        // With one seat and no further arrivals, every request executes.
        set.configure(queuingFor(4), 1);
        for (let left = set.requests.size; left >= 0; left--) {
          for (const name of set.named('executing')) set.finish(name);
          set.clock.advanceTo(set.clock.now() + 1000);
        }
        expect([set.named('waiting'), set.queueSet.seatsInUse, set.queueSet.isIdle]).toEqual([[], 0, true]);
        expect([...set.queueSet.queues].every(({ seatsInUse }) => seatsInUse === 0)).toBe(true);
      }),
    );
  });

  it('loses none where turns are scarce', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(3), { maxLength: 60 }), (steps, work) => {
        const loop = new ManualLoop();
        const turns = new Turns(loop);
        const set = new TestQueueSet(QUEUING, 5, turns);
        for (const [i, one] of steps.entries()) {
          play(set, one, i);
          expectBalance(set);
          loop.time = set.clock.now();
          turns.mayStart(loop.time);
          loop.time += work[i] ?? 0;
          if (i % 3 === 0) loop.turn();
        }
        set.configure(queuingFor(4), 3, 1);
        for (let left = set.requests.size; left >= 0; left--) {
          while (loop.turn());
          for (const name of set.named('executing')) set.finish(name);
          set.clock.advanceTo(set.clock.now() + 1000);
          loop.time = set.clock.now();
        }
        expect([set.named('waiting'), set.queueSet.seatsInUse, set.queueSet.isIdle]).toEqual([[], 0, true]);
      }),
    );
  });

  it('gives each flow with waiting requests its turn', () => {
    const set = new TestQueueSet({ queues: 8, queueLengthLimit: 100, handSize: 1 }, 1);
    for (let i = 0; i < 50; i++) set.arrive(`noisy${i}`, 0n, ONE_SEAT);
    set.arrive('quiet', 1n, ONE_SEAT);
    const order: string[] = [];
    while (!set.queueSet.isIdle) {
      const [name = ''] = set.named('executing');
      order.push(name);
      set.clock.advanceTo(set.clock.now() + 10);
      set.finish(name);
    }
    expect(order.indexOf('quiet')).toBeLessThan(3);
  });
});

it('does not remove another queue when a request lingers in a removed one', () => {
  const set = new TestQueueSet({ queues: 3, queueLengthLimit: 5, handSize: 1 }, 9);
  const lingering = { initialSeats: 1, finalSeats: 1, additionalLatency: 50 };
  set.arrive('a', 1n, lingering);
  set.arrive('b', 1n, lingering);
  set.arrive('c', 2n, ONE_SEAT);
  set.configure({ queues: 1, queueLengthLimit: 5, handSize: 1 }, 9);
  for (const name of ['a', 'b']) set.finish(name);
  set.clock.advanceTo(100);
  expect(
    [...set.queueSet.queues].flatMap(({ executing }) => [...executing]).map(({ arrival }) => arrival.distinguisher),
  ).toEqual(['c']);
});

it('lets requests wait for a turn of the loop, and goes on in the next turns', () => {
  const loop = new ManualLoop();
  const turns = new Turns(loop);
  const set = new TestQueueSet(QUEUING, 5, turns);
  const started: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    set.arrive(name, 0n, ONE_SEAT);
    const request = set.requests.get(name);
    const run = () => {
      started.push(name);
      loop.time += 1.5;
      set.clock.advanceTo(set.clock.now() + 1.5);
    };
    if (request?.state === 'executing') run();
    else if (request !== undefined) request.execute = run;
  }
  expect(started).toEqual(['a', 'b']);
  loop.turn();
  expect([started, set.named('waiting')]).toEqual([['a', 'b', 'c', 'd'], []]);
});

it('prefers a quiet flow where turns are scarce, and not seats', () => {
  const turns = { mayStart: () => false, mayPrecede: () => false, waitToStart: () => {} };
  const set = new TestQueueSet({ queues: 8, queueLengthLimit: 50, handSize: 1 }, 10, turns);
  for (let i = 0; i < 20; i++) set.arrive(`noisy${i}`, 0n, ONE_SEAT);
  set.clock.advanceTo(set.clock.now() + 1_000);
  set.queueSet.take();
  set.finish('noisy0');
  set.clock.advanceTo(set.clock.now() + 1_000);
  set.arrive('quiet', 1n, ONE_SEAT);
  set.queueSet.take();
  set.queueSet.take();
  expect(set.named('executing')).toContain('quiet');
});

it('refuses requests that wait for turns alone as if they had their seats', () => {
  const turns = { mayStart: () => false, mayPrecede: () => false, waitToStart: () => {} };
  const set = new TestQueueSet({ queues: 1, queueLengthLimit: 3, handSize: 1 }, 5, turns);
  const taken = Array.from({ length: 10 }, (_, i) => set.arrive(`r${i}`, 0n, ONE_SEAT));
  expect(taken.map(Number).join('')).toBe('1111111100');
});

it('gives free seats without a turn to the other queues first', () => {
  const turns = { mayStart: () => false, mayPrecede: () => false, waitToStart: () => {} };
  const set = new TestQueueSet({ queues: 2, queueLengthLimit: 3, handSize: 1 }, 2, turns);
  const taken = [0n, 1n, 1n, 1n, 1n, 1n, 1n].map((hash, i) => set.arrive(`r${i}`, hash, ONE_SEAT));
  expect(taken.map(Number).join('')).toBe('1111100');
});

it('makes only the queues that get requests', () => {
  const set = new TestQueueSet({ queues: 10_000_000, queueLengthLimit: 3, handSize: 2 }, 1);
  for (const [i, hash] of [1n, 1n, 9_999_999n].entries()) set.arrive(`r${i}`, hash, ONE_SEAT);
  const { queues } = set.queueSet;
  expect([queues.size, [...queues.used].map(({ index }) => index).sort()]).toEqual([10_000_000, [0, 1, 9_999_999]]);
});

describe('the reserve', () => {
  const queuing = { queues: 8, queueLengthLimit: 50, handSize: 1 };
  const wide = { initialSeats: 3, finalSeats: 0, additionalLatency: 0 };
  let set: TestQueueSet;

  /** A noisy flow asks for all seats. */
  beforeEach(() => {
    set = new TestQueueSet(queuing, 10);
    set.configure(queuing, 10, 2);
    for (let i = 0; i < 20; i++) set.arrive(`noisy${i}`, 0n, ONE_SEAT);
  });

  it('is free for a flow with few requests', () => {
    expect(set.queueSet.seatsInUse).toBe(8);
    for (const name of ['first', 'second', 'third']) set.arrive(name, 1n, ONE_SEAT);
    const quiet = ['first', 'second', 'third'].map((name) => set.requests.get(name)?.state);
    expect(quiet).toEqual(['executing', 'executing', 'waiting']);
  });

  it('is not for requests that are wider', () => {
    set.arrive('quiet', 1n, wide);
    expect([set.queueSet.seatsInUse, set.requests.get('quiet')?.state]).toEqual([8, 'waiting']);
  });

  it('does not let the requests that use it delay a wide one', () => {
    set.arrive('wide', 1n, wide);
    for (let i = 0; i < 12; i++) {
      set.arrive(`narrow${i}`, 2n, ONE_SEAT);
      for (const name of set.named('executing').slice(0, 2)) set.finish(name);
      set.clock.advanceTo(set.clock.now() + 10);
    }
    expect(set.requests.get('wide')?.state).not.toBe('waiting');
  });

  it('does not delay a request that needs seats of it', () => {
    set.arrive('wide', 1n, { ...wide, initialSeats: 9 });
    for (let i = 0; i < 40; i++) {
      set.arrive(`narrow${i}`, 2n, ONE_SEAT);
      for (const name of set.named('executing').slice(0, 1)) set.finish(name);
      set.clock.advanceTo(set.clock.now() + 10);
    }
    expect(set.requests.get('wide')?.state).not.toBe('waiting');
  });
});

it('counts a request without seats once for each attempt to start it', () => {
  const queuing = { queues: 8, queueLengthLimit: 50, handSize: 1 };
  const turns = { mayStart: () => false, mayPrecede: () => true, waitToStart: () => {} };
  const set = new TestQueueSet(queuing, 10, turns);
  set.arrive('first', 0n, ONE_SEAT);
  set.arrive('wide', 1n, { initialSeats: 10, finalSeats: 0, additionalLatency: 0 });
  const before = set.counters.noAccommodation.value;
  set.queueSet.take();
  expect([before, set.counters.noAccommodation.value]).toEqual([0, 1]);
});

it('starts the request of an idle flow before the next turn, if it would be the first one', () => {
  let asked = 0;
  const turns = { mayStart: () => false, mayPrecede: () => ++asked > 0, waitToStart: () => {} };
  const set = new TestQueueSet({ queues: 8, queueLengthLimit: 50, handSize: 1 }, 10, turns);
  for (const name of ['first', 'second', 'third']) set.arrive(name, 0n, ONE_SEAT);
  expect([set.named('executing'), asked]).toEqual([['first'], 1]);
});

it('tells of the oldest requests when one is dispatched, not when one finds too few seats', () => {
  const set = new TestQueueSet(QUEUING, 2);
  set.arrive('first', 0n, ONE_SEAT);
  set.clock.advanceTo(1_000);
  set.arrive('wide', 1n, { initialSeats: 2, finalSeats: 0, additionalLatency: 0 });
  const waiting = set.gauges.latestS.value;
  set.finish('first');
  // Both are of one queue: it waits from the arrival on for the time that the first one took beyond the expected one.
  expect([waiting, set.gauges.latestS.value]).toEqual([0, 1.997]);
});
