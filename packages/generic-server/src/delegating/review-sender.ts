import { type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { type Clock, isDeadlineExceeded, withTimeout } from '@apiserver/apimachinery/clock';
import { codeOf, isStatusError, isTimeout } from '@apiserver/apimachinery/errors';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { type RestRequest, type RestTextResponse, type RetryBackoff, retryWithBackoff } from '@apiserver/rest-client';
import { emptyResponse } from '@apiserver/webhook';
import { newReviewDecoder, type ReviewKind } from './review-decoders.js';

/** Sends requests as RestClient does. */
interface ReviewClient {
  send(request: RestRequest, signal?: AbortSignal): Promise<RestTextResponse>;
}

/** Dependencies of reviews by another server. */
export interface ReviewSenderOptions {
  readonly kind: ReviewKind;
  readonly client: ReviewClient;
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
  const decoder = newReviewDecoder(options.kind);
  return (review, given) =>
    withTimeout({ clock, milliseconds: timeout, signal: given }, (signal) =>
      retryWithBackoff(() => attempt({ ...options, decoder }, review, signal), { backoff, clock, random, signal }),
    );
}

type KindDecoder = ReturnType<typeof newReviewDecoder>;

interface AttemptOptions extends ReviewSenderOptions {
  readonly decoder: KindDecoder;
}

async function attempt(options: AttemptOptions, body: Review, given: AbortSignal | undefined): Promise<object> {
  const { client, path, observe, attemptTimeout, clock, decoder } = options;
  const started = performance.now();
  let code = '<error>';
  let result: ReviewResult = 'success';
  try {
    const response = await withTimeout({ clock, milliseconds: attemptTimeout, signal: given }, (signal) =>
      client.send({ method: 'POST', path, body, ...timeoutQuery(attemptTimeout) }, signal),
    );
    code = String(response.code);
    return await statusOf(body, response, decoder);
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

/** The status of a review of the version that was sent. Upstream: Result.Into of k8s.io/client-go/rest */
async function statusOf({ apiVersion }: Review, response: RestTextResponse, decoder: KindDecoder): Promise<object> {
  if (response.text === '') throw emptyResponse(response);
  const version = tryParseGroupVersion(String(apiVersion))?.version ?? '';
  return (await decoder.decode(response.text, version)).status ?? {};
}
