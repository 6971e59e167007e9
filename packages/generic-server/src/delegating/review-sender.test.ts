import {
  newForbidden,
  newGenericServerResponse,
  newInternalError,
  newTimeout,
  plainFailure,
} from '@apiserver/apimachinery/errors';
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
    observe: ({ code, result }) => observed.push(`${code} ${result}`),
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
    expect([await sender(review), observed]).toEqual([{ allowed: true }, ['500 error', '500 error', '201 success']]);
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

  it('tells the server how long it waits', async () => {
    const queries: string[] = [];
    const send = async (_signal: AbortSignal | undefined, { query }: RestRequest) => {
      queries.push(String(query));
      return { code: 200, value: {} };
    };
    expect(await sending(send, { attemptTimeout: 30_000 }).sender(review)).toEqual({});
    expect(queries).toEqual(['timeout=30s']);
  });

  it('does not try again when it may not ask', async () => {
    const { sender, observed } = sending(() =>
      Promise.reject(newForbidden({ group: '', resource: 'reviews' }, '', 'no')),
    );
    await expect(sender(review)).rejects.toThrow('forbidden');
    expect(observed).toEqual(['403 error']);
  });

  it.each([
    [{ attemptTimeout: 1 }, '<error> timeout'],
    [{ timeout: 1 }, '<error> canceled'],
  ])('ends after its time: %j', async (times, attempt) => {
    const { sender, observed } = sending(never, times);
    await expect(sender(review)).rejects.toThrow('context deadline exceeded');
    expect(observed).toEqual([attempt]);
  });

  it('ends with its caller', async () => {
    const stop = new AbortController();
    const { sender } = sending(never, { timeout: 60_000 });
    const sent = sender(review, stop.signal);
    stop.abort(new Error('the client left'));
    await expect(sent).rejects.toThrow('the client left');
  });

  it.each<[unknown, string]>([
    [[], 'the server did not respond with a review'],
    [undefined, 'the server did not respond with a review'],
    [null, 'the server did not respond with a review'],
    ['text', 'the server did not respond with a review'],
    [{ status: null }, 'the server did not respond with a review'],
    [{ status: 'ok' }, 'the server did not respond with a review'],
    [{ apiVersion: 'v2', kind: 'Review' }, 'the server did not respond with Review of v1, but with Review of v2'],
    [{ apiVersion: 'v1', kind: 'Pod' }, 'the server did not respond with Review of v1, but with Pod of v1'],
  ])('refuses %j', async (value, message) => {
    const { sender } = sending(async () => ({ code: 200, value }));
    await expect(sender(review)).rejects.toThrow(message);
  });

  it.each<[kind: string, status: object, message: string]>([
    [
      'SubjectAccessReview',
      { allowed: 'false' },
      'string into Go struct field SubjectAccessReviewStatus.status.allowed of type bool',
    ],
    [
      'SubjectAccessReview',
      { denied: 1 },
      'number into Go struct field SubjectAccessReviewStatus.status.denied of type bool',
    ],
    ['ImageReview', { allowed: 'no' }, 'string into Go struct field ImageReviewStatus.status.allowed of type bool'],
    [
      'TokenReview',
      { authenticated: 'true' },
      'string into Go struct field TokenReviewStatus.status.authenticated of type bool',
    ],
    [
      'TokenReview',
      { user: { groups: 'a' } },
      'string into Go struct field UserInfo.status.user.groups of type []string',
    ],
    [
      'TokenReview',
      { user: { groups: [{}] } },
      'object into Go struct field UserInfo.status.user.groups of type string',
    ],
    [
      'TokenReview',
      { user: { extra: ['b'] } },
      'array into Go struct field UserInfo.status.user.extra of type map[string][]string',
    ],
    [
      'TokenReview',
      { user: { extra: { a: 'b' } } },
      'string into Go struct field UserInfo.status.user.extra of type []string',
    ],
    ['TokenReview', { user: [] }, 'array into Go struct field TokenReviewStatus.status.user of type UserInfo'],
  ])('refuses a %s with the status %j', async (kind, status, message) => {
    const { sender, observed } = sending(async () => ({ code: 200, value: { status } }));
    await expect(sender({ ...review, kind })).rejects.toThrow(`json: cannot unmarshal ${message}`);
    expect(observed).toEqual(['200 error']);
  });

  it.each<[kind: string, status: object, read: object]>([
    ['SubjectAccessReview', { allowed: null, denied: false, reason: 'why', more: 1 }, { denied: false, reason: 'why' }],
    [
      'TokenReview',
      { authenticated: true, user: { username: 'ann', uid: null, groups: null, extra: { a: ['b', null], c: null } } },
      { authenticated: true, user: { username: 'ann', extra: { a: ['b', ''], c: [] } } },
    ],
    ['ImageReview', { allowed: true, auditAnnotations: { a: 'b' } }, { allowed: true, auditAnnotations: { a: 'b' } }],
  ])('reads a %s as Go does: %j', async (kind, status, read) => {
    const { sender } = sending(async () => ({ code: 200, value: { status } }));
    expect(await sender({ ...review, kind })).toEqual(read);
  });

  it.each<[Error, string]>([
    [newTimeout('late', 0), '504 timeout'],
    [plainFailure(504, 'late'), '504 timeout'],
    [newGenericServerResponse({ code: 504, verb: 'POST', serverMessage: '' }), '504 timeout'],
    [Object.assign(new Error('i/o'), { code: 'ETIMEDOUT' }), '<error> timeout'],
    [new Error('Post', { cause: Object.assign(new Error('i/o'), { code: 'ETIMEDOUT' }) }), '<error> timeout'],
    [new Error('other'), '<error> error'],
  ])('names the result of %s', async (failure, attempt) => {
    const { sender, observed } = sending(() => Promise.reject(failure));
    await expect(sender(review)).rejects.toBe(failure);
    expect(observed.at(-1)).toBe(attempt);
  });
});
