import {
  newForbidden,
  newGenericServerResponse,
  newInternalError,
  newTimeout,
  plainFailure,
} from '@apiserver/apimachinery/errors';
import type { RestRequest, RestTextResponse } from '@apiserver/rest-client';
import { describe, expect, it } from 'vitest';
import { type ReviewSenderOptions, reviewSender } from './review-sender.js';

const clock = {
  now: () => 0,
  schedule(callback: () => void) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};
const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: {} };

function response(text: string, code = 200): RestTextResponse {
  return { code, text, contentType: '', value: undefined };
}

function sending(
  send: (signal: AbortSignal | undefined, request: RestRequest) => Promise<RestTextResponse>,
  changes: Partial<ReviewSenderOptions> = {},
) {
  const observed: string[] = [];
  const sender = reviewSender({
    kind: 'SubjectAccessReview',
    client: { send: (request, signal) => send(signal, request) },
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
const never = (signal: AbortSignal | undefined): Promise<RestTextResponse> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('reviewSender', () => {
  it('tries again, and tells of each attempt', async () => {
    let failures = 2;
    const { sender, observed } = sending(async () => {
      if (failures-- > 0) throw newInternalError(new Error('busy'));
      return response('{"status":{"allowed":true}}', 201);
    });
    expect([await sender(review), observed]).toEqual([{ allowed: true }, ['500 error', '500 error', '201 success']]);
  });

  it('posts the review to its path', async () => {
    const requests: RestRequest[] = [];
    const { sender } = sending(async (_signal, request) => {
      requests.push(request);
      return response('{}');
    });
    await sender(review);
    expect(requests).toEqual([{ method: 'POST', path: '/reviews', body: review }]);
  });

  it('tells the server how long it waits', async () => {
    const queries: string[] = [];
    const send = async (_signal: AbortSignal | undefined, { query }: RestRequest) => {
      queries.push(String(query));
      return response('{}');
    };
    expect(await sending(send, { attemptTimeout: 30_000 }).sender(review)).toEqual({ allowed: false });
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

  const notObject = (type: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  const typed = (apiVersion: string, kind: string) => JSON.stringify({ apiVersion, kind, status: { allowed: true } });
  const converting = (kind: string) => `converting (${kind}) to (v1.SubjectAccessReview): unknown conversion`;
  const unfit = (given: string, field: string) => `json: cannot unmarshal ${given} into Go struct field ${field}`;

  // Compared with WebhookAuthorizer of k8s.io/apiserver v0.36.6.
  it.each([
    ['', '0-length response with status code: 200 and content type: application/json'],
    ['[]', notObject('array')],
    ['hello', notObject('string')],
    ['{"status":', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    ['{}x', "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"],
    [typed('authorization.k8s.io/v1beta1', 'SubjectAccessReview'), converting('v1beta1.SubjectAccessReview')],
    [typed('v1', 'Status'), converting('v1.Status')],
    [
      typed('example.com/v1', 'Foo'),
      'no kind "Foo" is registered for version "example.com/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ['{"status":"x"}', unfit('string', 'SubjectAccessReview.status of type v1.SubjectAccessReviewStatus')],
    ['{"status":{"allowed":"yes"}}', unfit('string', 'SubjectAccessReviewStatus.status.allowed of type bool')],
    ['{"spec":{"groups":"x"}}', unfit('string', 'SubjectAccessReviewSpec.spec.groups of type []string')],
  ])('refuses %s', async (text, message) => {
    const { sender, observed } = sending(async () => response(text));
    await expect(sender(review)).rejects.toMatchObject({ message });
    expect(observed).toEqual(['200 error']);
  });

  it.each<[kind: ReviewSenderOptions['kind'], version: string, text: string, read: object]>([
    ['SubjectAccessReview', 'authorization.k8s.io/v1', 'null', { allowed: false }],
    ['SubjectAccessReview', 'authorization.k8s.io/v1', 'status: {allowed: true}', { allowed: true }],
    [
      'SubjectAccessReview',
      'authorization.k8s.io/v1beta1',
      '{"status":{"allowed":null,"denied":true,"reason":"why","more":1},"other":2}',
      { allowed: false, denied: true, reason: 'why' },
    ],
    [
      'TokenReview',
      'authentication.k8s.io/v1beta1',
      '{"status":{"authenticated":true,"user":{"username":"ann","groups":null,"extra":{"a":["b",null]}}}}',
      { authenticated: true, user: { username: 'ann', extra: { a: ['b', ''] } } },
    ],
    [
      'ImageReview',
      'imagepolicy.k8s.io/v1alpha1',
      '{"status":{"allowed":true,"auditAnnotations":{"a":"b"}}}',
      { allowed: true, auditAnnotations: { a: 'b' } },
    ],
  ])('reads a %s of %s as Go does: %s', async (kind, apiVersion, text, read) => {
    const { sender } = sending(async () => response(text), { kind });
    expect(await sender({ apiVersion, kind, spec: {} })).toEqual(read);
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
