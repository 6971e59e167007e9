import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, isDeadlineExceeded, withTimeout } from '@apiserver/apimachinery/clock';
import { codeOf, isStatusError, isTimeout } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { type RestRequest, type RestSender, type RetryBackoff, retryWithBackoff } from '@apiserver/rest-client';
import { reviewStatus } from './review-status.js';

/** Dependencies of reviews by another server. */
export interface ReviewSenderOptions {
  readonly client: RestSender;
  /** `/apis/authentication.k8s.io/v1/tokenreviews`; "": the URL of the server itself. */
  readonly path: string;
  readonly backoff: RetryBackoff;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Milliseconds for one attempt, also told to the server; 0: no bound. */
  readonly attemptTimeout: number;
  /** Milliseconds for all attempts together; 0: no bound. */
  readonly timeout: number;
  /** Called after each attempt. */
  readonly observe: (attempt: ReviewAttempt) => void;
}

/** One attempt to have a review. */
export interface ReviewAttempt {
  /** The status code; `<error>` without a response. */
  readonly code: string;
  readonly result: ReviewResult;
  readonly milliseconds: number;
}

/** Upstream: RecordWebhookEvaluation of k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics */
export type ReviewResult = 'success' | 'canceled' | 'timeout' | 'error';

/** A review as it is sent. */
interface Review extends Omit<KubeObject, 'metadata'> {
  readonly metadata?: object;
  readonly spec: object;
  /** Without meaning; upstream sends it to webhooks. */
  readonly status?: object;
}

/** Posts a review and resolves to the `status` of the response. Rejects as RestClient does. */
export type ReviewSender = (review: Review, signal?: AbortSignal) => Promise<object>;

/** Sends reviews, and retries transient failures. */
export function reviewSender(options: ReviewSenderOptions): ReviewSender {
  const { backoff, clock, random, timeout } = options;
  return (review, given) =>
    withTimeout({ clock, milliseconds: timeout, signal: given }, (signal) =>
      retryWithBackoff(() => attempt(options, review, signal), { backoff, clock, random, signal }),
    );
}

async function attempt(options: ReviewSenderOptions, body: Review, given: AbortSignal | undefined): Promise<object> {
  const { client, path, observe, attemptTimeout, clock } = options;
  const started = performance.now();
  let code = '<error>';
  let result: ReviewResult = 'success';
  try {
    const response = await withTimeout({ clock, milliseconds: attemptTimeout, signal: given }, (signal) =>
      client.send({ method: 'POST', path, body, ...timeoutQuery(attemptTimeout) }, signal),
    );
    code = String(response.code);
    return statusOf(body, response.value);
  } catch (error) {
    if (isStatusError(error)) code = String(error.status.code);
    result = failureOf(error, given);
    throw error;
  } finally {
    observe({ code, result, milliseconds: performance.now() - started });
  }
}

/** Upstream: timeout of k8s.io/client-go/rest.Request */
function timeoutQuery(milliseconds: number): Pick<RestRequest, 'query'> {
  return milliseconds > 0 ? { query: new URLSearchParams({ timeout: formatGoDuration(milliseconds) }) } : {};
}

/** The result of an attempt that failed. `signal` is the caller's. */
export function failureOf(error: unknown, signal: AbortSignal | undefined): ReviewResult {
  if (signal?.aborted) return 'canceled';
  if (isStatusError(error)) return isTimeout(error) || error.status.code === 504 ? 'timeout' : 'error';
  return isDeadlineExceeded(error) || isConnectTimeout(error) ? 'timeout' : 'error';
}

function isConnectTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT' || (error instanceof Error && codeOf(error.cause) === 'ETIMEDOUT');
}

/** The status of a review of the version that was sent. A member that is missing has the value of what was sent. */
function statusOf(sent: Review, value: unknown): object {
  const { apiVersion, kind, status }: Readonly<Record<string, unknown>> = { ...sent, status: {}, ...objectOf(value) };
  const isSame = apiVersion === sent.apiVersion && kind === sent.kind;
  const found = objectOf(value) && objectOf(status);
  if (isSame && found !== undefined) return reviewStatus(String(sent.kind), found);
  const other = isSame ? 'a review' : `${sent.kind} of ${sent.apiVersion}, but with ${kind} of ${apiVersion}`;
  throw new Error(`the server did not respond with ${other}`);
}

function objectOf(value: unknown): object | undefined {
  return isMembers(value) ? value : undefined;
}
