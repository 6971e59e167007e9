import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  areSlicesWaiting,
  chargeSlice,
  runSliced,
  type SlicedWork,
  SliceFlow,
  SliceShare,
  sliceTurn,
} from './slice-turns.js';

let time: number;
beforeEach(() => {
  time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
});
afterEach(() => void vi.restoreAllMocks());

function work(milliseconds: number): void {
  time += milliseconds;
}

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    get turns() {
      return turns;
    },
    stop: () => {
      isOver = true;
    },
  };
}

it('resumes short loops together, in their order', async () => {
  const counter = countTurns();
  const log: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await sliceTurn();
      log.push(i);
    }),
  );
  counter.stop();
  expect(log).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('gives long loops a turn each', async () => {
  const seen: number[] = [];
  const counter = countTurns();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      await sliceTurn();
      seen.push(counter.turns);
      work(6);
    }),
  );
  counter.stop();
  expect(new Set(seen).size).toBe(4);
});

it('resumes a loop that asks again in a later turn', async () => {
  const counter = countTurns();
  await sliceTurn();
  const first = counter.turns;
  await sliceTurn();
  counter.stop();
  expect(counter.turns).toBeGreaterThan(first);
});

describe('flows', () => {
  /** Runs slices for a request, and logs each. */
  async function loopOf(slices: number, log: string[], name: string): Promise<void> {
    for (let i = 0; i < slices; i++) {
      await sliceTurn();
      log.push(name);
      work(2);
    }
  }

  interface Loop {
    readonly flow: SliceFlow;
    readonly order: number;
    readonly slices: number;
    readonly name: string;
  }

  const start = (log: string[], { flow, order, slices, name }: Loop) =>
    runSliced({ flow, order }, loopOf, slices, log, name);

  it('share turns by weight, however many loops each has', async () => {
    const log: string[] = [];
    const noisy = new SliceFlow(new SliceShare({ weight: 1 }));
    const quiet = new SliceFlow(new SliceShare({ weight: 3 }));
    const loops = Array.from({ length: 20 }, (_, i) => start(log, { flow: noisy, order: i, slices: 4, name: 'noisy' }));
    loops.push(start(log, { flow: quiet, order: 20, slices: 12, name: 'quiet' }));
    await Promise.all(loops);
    // Three of four slices while it has any. Without flows, it would have one of 21.
    expect(log.lastIndexOf('quiet')).toBeLessThan(18);
  });

  it('get no more together than one flow if they have one share', async () => {
    const log: string[] = [];
    const crowd = new SliceShare({ weight: 1 });
    const loops = Array.from({ length: 20 }, (_, i) =>
      start(log, { flow: new SliceFlow(crowd), order: i, slices: 2, name: 'crowd' }),
    );
    loops.push(start(log, { flow: new SliceFlow(new SliceShare({ weight: 1 })), order: 20, slices: 10, name: 'one' }));
    await Promise.all(loops);
    // Every second slice. With a weight for each flow, it would have one of 21.
    expect(log.lastIndexOf('one')).toBeLessThan(21);
  });

  it('of one share take turns', async () => {
    const log: string[] = [];
    const share = new SliceShare({ weight: 1 });
    const noisy = new SliceFlow(share);
    const loops = Array.from({ length: 10 }, (_, i) => start(log, { flow: noisy, order: i, slices: 2, name: 'noisy' }));
    loops.push(start(log, { flow: new SliceFlow(share), order: 10, slices: 5, name: 'quiet' }));
    await Promise.all(loops);
    expect(log.lastIndexOf('quiet')).toBeLessThan(11);
  });

  it('do not compare each of many requests with all others', async () => {
    const flow = new SliceFlow(new SliceShare({ weight: 1 }));
    const count = 2_000;
    let compared = 0;
    // In no order: 7 and the count have no common factor.
    const loops = Array.from({ length: count }, (_, i) => {
      const order = () => {
        compared++;
        return (7 * i) % count;
      };
      return runSliced(Object.defineProperty({ flow, order: 0 }, 'order', { get: order }), sliceTurn);
    });
    await Promise.all(loops);
    expect(compared).toBeLessThan(20 * count);
  });

  it('complete their older request first', async () => {
    const log: string[] = [];
    const flow = new SliceFlow(new SliceShare({ weight: 1 }));
    await Promise.all([2, 0, 1].map((order) => start(log, { flow, order, slices: 3, name: String(order) })));
    // All were waiting when the first turn began.
    expect(log.filter((name, i) => log.indexOf(name) === i)).toEqual(['0', '1', '2']);
    expect(log.lastIndexOf('0')).toBeLessThan(log.lastIndexOf('2'));
  });

  it('keep their request across promises and timers', async () => {
    const seen: number[] = [];
    const request: SlicedWork = {
      flow: new SliceFlow(new SliceShare({ weight: 1 })),
      order: 0,
      charge: (milliseconds) => void seen.push(milliseconds),
    };
    await runSliced(request, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await sliceTurn();
      work(1);
    });
    await sliceTurn();
    expect(seen).toEqual([1]);
  });

  it('count work that took no turn', async () => {
    const log: string[] = [];
    const [greedy, other] = [
      new SliceFlow(new SliceShare({ weight: 1 })),
      new SliceFlow(new SliceShare({ weight: 1 })),
    ];
    chargeSlice({ flow: greedy, order: 0 }, 50);
    await Promise.all([
      start(log, { flow: greedy, order: 0, slices: 2, name: 'greedy' }),
      start(log, { flow: other, order: 1, slices: 2, name: 'other' }),
    ]);
    expect(log).toEqual(['other', 'other', 'greedy', 'greedy']);
  });

  it('owe nothing for work while nobody waited', async () => {
    const log: string[] = [];
    const [old, late] = [new SliceFlow(new SliceShare({ weight: 1 })), new SliceFlow(new SliceShare({ weight: 1 }))];
    for (let i = 0; i < 1000; i++) chargeSlice({ flow: old, order: i }, 1);
    await Promise.all([
      start(log, { flow: late, order: 1001, slices: 20, name: 'late' }),
      start(log, { flow: old, order: 1000, slices: 2, name: 'old' }),
    ]);
    expect(log.lastIndexOf('old')).toBeLessThan(5);
  });

  it('let no loop wait for ever, in any schedule', async () => {
    const loop = fc.record({ flow: fc.nat(3), order: fc.nat(9), slices: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(loop, { maxLength: 30 }), async (loops) => {
        const flows = [1, 1, 5, 100].map((weight) => new SliceFlow(new SliceShare({ weight })));
        let ended = 0;
        await Promise.all(
          loops.map(async ({ flow, order, slices }, i) => {
            const chosen = flows[flow] ?? new SliceFlow(new SliceShare({ weight: 1 }));
            await runSliced(i % 5 === 0 ? undefined : { flow: chosen, order }, async () => {
              for (let slice = 0; slice < slices; slice++) await sliceTurn();
            });
            ended++;
          }),
        );
        expect([ended, areSlicesWaiting()]).toEqual([loops.length, false]);
      }),
      { numRuns: 30 },
    );
  });
});
