import { expect, it, vi } from 'vitest';
import { testAttributes } from './testing/attributes.js';
import { ViewReadiness } from './view-readiness.js';

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
