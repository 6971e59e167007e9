import { newForbidden, newInternalError, newTooManyRequests, StatusError } from '@apiserver/apimachinery/errors';
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

const failed = (status: object) =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status });

it.each<[object, number]>([
  [{ code: 400, reason: 'InternalError' }, 5],
  [{ code: 400, reason: 'Timeout' }, 5],
  [{ code: 400, reason: 'TooManyRequests' }, 5],
  [{ code: 400, reason: 'ServerTimeout' }, 5],
  [{ code: 400, reason: 'BadRequest', details: { retryAfterSeconds: 1 } }, 5],
  [{ code: 400, reason: 'BadRequest', details: { retryAfterSeconds: 0 } }, 1],
  [{ code: 400, reason: 'BadRequest', details: {} }, 1],
  [{ code: 429 }, 5],
  [{ code: 429, reason: 'Forbidden' }, 5],
  [{ code: 500 }, 5],
  [{ code: 500, reason: '' }, 5],
  [{ code: 500, reason: 'Other' }, 1],
  [{ code: 504 }, 5],
  [{ code: 504, reason: 'Other' }, 1],
  [{ code: 503 }, 1],
  [{}, 1],
])('a response with %j', async (status, count) => {
  expect(await attempts(failed(status))).toBe(count);
});

it('adds up to a share of each pause, and takes the result of a later attempt', async () => {
  pauses.length = 0;
  let left = 3;
  const attempt = async () => {
    if (left-- > 0) throw newInternalError(new Error('x'));
    return 'done';
  };
  const backoff = { duration: 100, factor: 2, jitter: 0.5, steps: 9 };
  expect(await retryWithBackoff(attempt, { backoff, clock, random: () => 0.5 })).toBe('done');
  expect(pauses).toEqual([125, 250, 500]);
});

it('asks the caller which failures to repeat', async () => {
  const seen: unknown[] = [];
  const isWorthRetrying = (error: unknown) => seen.push(error) < 3;
  const attempt = () => Promise.reject(new Error('x'));
  const done = retryWithBackoff(attempt, { backoff: defaultRetryBackoff, clock, random: () => 0, isWorthRetrying });
  await expect(done).rejects.toThrow('x');
  expect(seen).toHaveLength(3);
});

it('ends with the last failure if it is stopped during an attempt, and with the reason during a pause', async () => {
  const stop = new AbortController();
  const stopping = async () => {
    stop.abort(new Error('stopped'));
    throw newInternalError(new Error('x'));
  };
  const context = { backoff: defaultRetryBackoff, clock, random: () => 0, signal: stop.signal };
  await expect(retryWithBackoff(stopping, context)).rejects.toThrow('Internal error occurred: x');
  const later = new AbortController();
  const failing = async () => {
    queueMicrotask(() => queueMicrotask(() => later.abort(new Error('stopped'))));
    throw newInternalError(new Error('x'));
  };
  const waiting = { ...clock, schedule: () => () => {} };
  const done = retryWithBackoff(failing, { ...context, clock: waiting, signal: later.signal });
  await expect(done).rejects.toThrow('stopped');
});
