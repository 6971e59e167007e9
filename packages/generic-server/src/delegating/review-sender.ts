import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, withTimeout } from '@apiserver/apimachinery/clock';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { type RestSender, type RetryBackoff, retryWithBackoff } from '@apiserver/rest-client';

/** Dependencies of reviews by the core server. */
export interface ReviewSenderOptions {
  readonly client: RestSender;
  /** `/apis/authentication.k8s.io/v1/tokenreviews` */
  readonly path: string;
  readonly backoff: RetryBackoff;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Milliseconds for one attempt; 0: no bound. */
  readonly attemptTimeout: number;
  /** Milliseconds for all attempts together; 0: no bound. */
  readonly timeout: number;
  /** Told of each attempt: its code, `<error>` without a response, and its milliseconds. */
  readonly observe: (code: string, milliseconds: number) => void;
}

/** A review as it is sent and comes back. */
interface Review extends Omit<KubeObject, 'metadata'> {
  readonly spec: object;
}

/** Posts a review and resolves to the `status` of the response. Rejects as RestClient does. */
export type ReviewSender = (review: Review, signal?: AbortSignal) => Promise<object>;

/** Sends reviews, again where a failure may pass. */
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
  try {
    const response = await withTimeout({ clock, milliseconds: attemptTimeout, signal: given }, (signal) =>
      client.send({ method: 'POST', path, body }, signal),
    );
    code = String(response.code);
    return statusOf(response.value);
  } catch (error) {
    if (isStatusError(error)) code = String(error.status.code);
    throw error;
  } finally {
    observe(code, performance.now() - started);
  }
}

function statusOf(value: unknown): object {
  const status = typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
  if (typeof status !== 'object' || status === null) throw new Error('the server did not answer with a review');
  return status;
}
