import type { Clock } from '@apiserver/apimachinery/clock';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { PostStartHookContext } from '@apiserver/generic-server';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { storageReadinessHook } from './storage-readiness.js';

/** Runs a hook over storage with this many failures; `steps` records its progress. */
function run(failures: number) {
  const clock = new ManualClock();
  const steps: string[] = [];
  let left = failures;
  const provider = {
    ready: async () => {
      if (left-- > 0) throw new Error('no');
    },
  };
  const logger = { warning: (message: string) => void steps.push(message) };
  const hook = storageReadinessHook({ provider, clock, logger, timeout: 5000 });
  const done = Promise.resolve(
    hook({
      signal: new AbortController().signal,
      loopbackClient: undefined as unknown as PostStartHookContext['loopbackClient'],
    }),
  );
  void done.then(() => steps.push('done'));
  return { clock, steps };
}

describe('storageReadinessHook', () => {
  it('is done when all storage is ready', async () => {
    const { steps } = run(0);
    await eventLoopTurns();
    expect(steps).toEqual(['done']);
  });

  it('retries first failures', async () => {
    const { clock, steps } = run(2);
    await eventLoopTurns();
    clock.advance(1000);
    await eventLoopTurns();
    expect(steps).toEqual([]);
    clock.advance(1000);
    await eventLoopTurns();
    expect(steps).toEqual(['done']);
  });

  it('leaves neither a timer nor a read behind', async () => {
    const clock = new ManualClock();
    const cancelled: boolean[] = [];
    const counted: Clock = {
      now: () => clock.now(),
      schedule(callback, milliseconds) {
        const timer = cancelled.push(false) - 1;
        const cancel = clock.schedule(callback, milliseconds);
        return () => {
          cancelled[timer] = true;
          cancel();
        };
      },
    };
    const reads: AbortSignal[] = [];
    const ready = async (signal?: AbortSignal) => {
      if (signal !== undefined) reads.push(signal);
      if (reads.length === 1) await new Promise(() => {});
    };
    const logger = { warning: () => {} };
    const hook = storageReadinessHook({ provider: { ready }, clock: counted, logger, timeout: 5000 });
    const context = { signal: new AbortController().signal } as PostStartHookContext;
    const late = hook(context);
    clock.advance(5000);
    await late;
    await hook(context);
    expect([reads.map(({ aborted }) => aborted), cancelled]).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('gives up after its timeout, and lets the server become ready', async () => {
    const { clock, steps } = run(100);
    for (let second = 0; second < 6; second++) {
      await eventLoopTurns();
      clock.advance(1000);
    }
    await eventLoopTurns();
    expect(steps).toEqual(['Deadline exceeded while waiting for storage readiness... ignoring', 'done']);
  });
});
