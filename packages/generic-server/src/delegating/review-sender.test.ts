import { newForbidden, newInternalError } from '@apiserver/apimachinery/errors';
import type { RestRequest, RestResponse } from '@apiserver/rest-client';
import { describe, expect, it } from 'vitest';
import { type ReviewSenderOptions, reviewSender } from './review-sender.js';

const clock = {
  now: () => 0,
  schedule(callback: () => void) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};
const review = { apiVersion: 'v1', kind: 'Review', spec: {} };

function sending(
  send: (signal: AbortSignal | undefined, request: RestRequest) => Promise<RestResponse>,
  changes: Partial<ReviewSenderOptions> = {},
) {
  const observed: string[] = [];
  const sender = reviewSender({
    client: { send: (request, signal) => send(signal, request), open: () => Promise.reject(new Error('no watch')) },
    path: '/reviews',
    backoff: { duration: 1, factor: 1, jitter: 0, steps: 3 },
    clock,
    random: () => 0,
    attemptTimeout: 0,
    timeout: 0,
    observe: (code) => observed.push(code),
    ...changes,
  });
  return { sender, observed };
}

/** A server that never responds. */
const never = (signal: AbortSignal | undefined): Promise<RestResponse> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('reviewSender', () => {
  it('tries again, and tells of each attempt', async () => {
    let failures = 2;
    const { sender, observed } = sending(async () => {
      if (failures-- > 0) throw newInternalError(new Error('busy'));
      return { code: 201, value: { status: { allowed: true } } };
    });
    expect([await sender(review), observed]).toEqual([{ allowed: true }, ['500', '500', '201']]);
  });

  it('posts the review to its path', async () => {
    const requests: RestRequest[] = [];
    const { sender } = sending(async (_signal, request) => {
      requests.push(request);
      return { code: 200, value: { status: {} } };
    });
    await sender(review);
    expect(requests).toEqual([{ method: 'POST', path: '/reviews', body: review }]);
  });

  it('does not try again when it may not ask', async () => {
    const { sender, observed } = sending(() =>
      Promise.reject(newForbidden({ group: '', resource: 'reviews' }, '', 'no')),
    );
    await expect(sender(review)).rejects.toThrow('forbidden');
    expect(observed).toEqual(['403']);
  });

  it.each([{ attemptTimeout: 1 }, { timeout: 1 }])('ends after its time: %j', async (times) => {
    const { sender, observed } = sending(never, times);
    await expect(sender(review)).rejects.toThrow('context deadline exceeded');
    expect(observed).toEqual(['<error>']);
  });

  it('ends with its caller', async () => {
    const stop = new AbortController();
    const { sender } = sending(never, { timeout: 60_000 });
    const sent = sender(review, stop.signal);
    stop.abort(new Error('the client left'));
    await expect(sent).rejects.toThrow('the client left');
  });

  it('refuses a response that is no review', async () => {
    const { sender } = sending(async () => ({ code: 200, value: [] }));
    await expect(sender(review)).rejects.toThrow('the server did not answer with a review');
  });
});
