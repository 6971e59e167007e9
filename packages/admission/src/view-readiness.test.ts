import { AsyncLocalStorage } from 'node:async_hooks';
import { monotonicClock, runSliced, SliceFlow, SliceShare, sliceTurn } from '@apiserver/apimachinery/clock';
import { afterEach, expect, it, vi } from 'vitest';
import { testAttributes } from './testing/attributes.js';
import { ViewReadiness } from './view-readiness.js';

afterEach(() => void vi.restoreAllMocks());

it('waits for all informers once, and never again', async () => {
  const views = [{ synced: vi.fn(async () => {}) }, { synced: vi.fn(async () => {}) }];
  const readiness = new ViewReadiness(...views);
  await readiness.ready(testAttributes());
  expect(readiness.ready(testAttributes())).toBeUndefined();
  expect(views.map(({ synced }) => synced.mock.calls.length)).toEqual([1, 1]);
});

it('refuses while an informer has not synced, and checks again on the next request', async () => {
  const synced = vi.fn(async () => {});
  synced.mockRejectedValueOnce(new Error('timed out'));
  const readiness = new ViewReadiness({ synced });
  await expect(readiness.ready(testAttributes())).rejects.toThrow(
    'configmaps "a" is forbidden: not yet ready to handle request',
  );
  await readiness.ready(testAttributes());
  expect(readiness.ready(testAttributes())).toBeUndefined();
});

it('begins its timer outside the work of the request', async () => {
  const charge = vi.fn();
  let inTimer = (_work: () => Promise<void>): Promise<void> => Promise.reject(new Error('there is no timer'));
  const { schedule } = monotonicClock;
  vi.spyOn(monotonicClock, 'schedule').mockImplementation((...timer) => {
    inTimer = AsyncLocalStorage.snapshot();
    return schedule(...timer);
  });
  const readiness = new ViewReadiness({ synced: async () => {} });
  const request = { flow: new SliceFlow(new SliceShare({ weight: 1 })), order: 0, charge };
  await runSliced(request, () => readiness.ready(testAttributes()));
  await inTimer(sliceTurn);
  // A slice is charged before the next one begins.
  await sliceTurn();
  expect(charge).not.toHaveBeenCalled();
});
