import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { logSlowWait } from './log-slow-wait.js';

it.each([
  [1_999, []],
  [2_000, ['Waiting for etcd, which has not responded yet', 'shown']],
])('a wait of %i ms says %j', async (milliseconds, expected) => {
  const clock = new ManualClock();
  const { logger, lines } = createTestLogger();
  const shown: string[] = [];
  const response = Promise.withResolvers<string>();
  const wait = { endpoints: ['http://127.0.0.1:2379'], clock, logger, showLog: () => void shown.push('shown') };
  const waiting = logSlowWait(wait, () => response.promise);
  clock.advance(milliseconds);
  response.resolve('there');
  expect(await waiting).toBe('there');
  clock.advance(60_000);
  expect([...lines.map(({ message }) => message), ...shown]).toEqual(expected);
});
