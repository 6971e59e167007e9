import { expect, test } from 'vitest';
import { whenAborted } from './when-aborted.js';

test('resolves at once for an aborted signal', async () => {
  await whenAborted(AbortSignal.abort());
});

test('resolves when the signal aborts, and not before', async () => {
  const controller = new AbortController();
  let isResolved = false;
  const waiting = whenAborted(controller.signal).then(() => {
    isResolved = true;
  });
  await Promise.resolve();
  expect(isResolved).toBe(false);
  controller.abort();
  await waiting;
});
