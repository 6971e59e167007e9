import { newForbidden, newInternalError, newTooManyRequests } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { defaultRetryBackoff, retryWithBackoff } from './retry.js';

const pauses: number[] = [];
const clock = {
  now: () => 0,
  schedule(callback: () => void, milliseconds: number) {
    pauses.push(milliseconds);
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

async function attempts(failure: unknown, signal?: AbortSignal): Promise<number> {
  pauses.length = 0;
  let count = 0;
  const attempt = async () => {
    count++;
    throw failure;
  };
  await retryWithBackoff(attempt, { backoff: defaultRetryBackoff, clock, random: () => 0, signal }).catch(() => {});
  return count;
}

it('tries five times, and waits half as long again each time', async () => {
  expect(await attempts(newInternalError(new Error('x')))).toBe(5);
  expect(pauses).toEqual([500, 750, 1_125, 1_687.5]);
});

it.each<[string, unknown, number]>([
  ['429', newTooManyRequests('later', 1), 5],
  ['a connection that was reset', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 5],
  ['one below an error', new Error('x', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }), 5],
  ['403', newForbidden({ group: '', resource: 'pods' }, 'a', 'no'), 1],
  ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 1],
])('%s', async (_, failure, count) => {
  expect(await attempts(failure)).toBe(count);
});

it('does not begin after the end', async () => {
  expect(await attempts(newInternalError(new Error('x')), AbortSignal.abort())).toBe(0);
});
