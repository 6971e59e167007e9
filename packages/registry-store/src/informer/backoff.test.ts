import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { Backoff } from './backoff.js';

/** The duration of each of `count` waits, to the millisecond. */
async function waits(backoff: Backoff, clock: ManualClock, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    let over = false;
    const started = clock.now();
    const waiting = backoff.wait(new AbortController().signal).then(() => {
      over = true;
    });
    while (!over) {
      clock.advance(100);
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
      if (clock.now() - started > 100_000) throw new Error('never over');
    }
    await waiting;
    taken.push(Math.floor((clock.now() - started) / 100) * 100);
  }
  return taken;
}

describe('Backoff', () => {
  it('stretches each pause up to twofold', async () => {
    const clock = new ManualClock();
    const [first] = await waits(new Backoff(clock, (bound) => bound - 1), clock, 1);
    expect(first).toBeGreaterThanOrEqual(1500);
    expect(first).toBeLessThanOrEqual(2000);
  });

  it('starts again from the shortest pause after two quiet minutes', async () => {
    const clock = new ManualClock();
    const requested: number[] = [];
    const backoff = new Backoff(clock, (bound) => {
      requested.push(bound);
      return 0;
    });
    await waits(backoff, clock, 3);
    clock.advance(120_001);
    await waits(backoff, clock, 1);
    expect(requested).toEqual([800, 1600, 3200, 800]);
  });

  it('goes on growing until two minutes are over, up to half a minute', async () => {
    const requested: number[] = [];
    let now = 0;
    const clock = {
      now: () => now,
      schedule(callback: () => void) {
        queueMicrotask(callback);
        return () => {};
      },
    };
    const backoff = new Backoff(clock, (bound) => {
      requested.push(bound);
      return 0;
    });
    for (const later of [0, 120_000, 120_000, 0, 0, 0, 0, 120_001]) {
      now += later;
      await backoff.wait(new AbortController().signal);
    }
    expect(requested).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 800]);
  });

  it('does not wait once aborted, and leaves no timer', async () => {
    let timers = 0;
    const clock = {
      now: () => 0,
      schedule: () => {
        timers++;
        return () => void timers--;
      },
    };
    const controller = new AbortController();
    const waiting = new Backoff(clock, () => 0).wait(controller.signal);
    controller.abort();
    await waiting;
    await new Backoff(clock, () => 0).wait(AbortSignal.abort());
    expect(timers).toBe(0);
  });
});
