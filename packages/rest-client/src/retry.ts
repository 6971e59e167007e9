import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { codeOf, isStatusError } from '@apiserver/apimachinery/errors';

/** Pauses between attempts. Upstream: k8s.io/apimachinery/pkg/util/wait.Backoff */
export interface RetryBackoff {
  /** Milliseconds before the second attempt. */
  readonly duration: number;
  /** Each pause is this many times the one before. */
  readonly factor: number;
  /** A pause grows by up to this share of it. */
  readonly jitter: number;
  /** Attempts in all. */
  readonly steps: number;
}

/** Upstream: DefaultAuthWebhookRetryBackoff of k8s.io/apiserver/pkg/server/options */
export const defaultRetryBackoff: RetryBackoff = { duration: 500, factor: 1.5, jitter: 0.2, steps: 5 };

/** Dependencies of retries. */
export interface RetryContext {
  readonly backoff: RetryBackoff;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** No attempt starts, and no pause goes on, once it has aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Default: failures that may pass. */
  readonly isWorthRetrying?: (error: unknown) => boolean;
}

/**
 * Attempts until one succeeds, fails for good, or there are no more steps; throws the last failure.
 * Upstream: WithExponentialBackoff of k8s.io/apiserver/pkg/util/webhook
 */
export async function retryWithBackoff<T>(attempt: () => Promise<T>, context: RetryContext): Promise<T> {
  const { backoff, clock, random, signal, isWorthRetrying = mayPass } = context;
  let pause = backoff.duration;
  for (let step = 1; ; step++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (step >= backoff.steps || signal?.aborted || !isWorthRetrying(error)) throw error;
    }
    await sleep(clock, pause * (1 + random() * backoff.jitter), signal);
    pause *= backoff.factor;
  }
}

/**
 * True for failures that may pass: a connection that broke, 500, 504, 429, and a response that asks to come later.
 * Upstream: DefaultShouldRetry of k8s.io/apiserver/pkg/util/webhook
 */
function mayPass(error: unknown): boolean {
  if (!isStatusError(error)) return isConnectionReset(error);
  const { code, reason, details } = error.status;
  if (reason === 'InternalError' || reason === 'Timeout' || reason === 'TooManyRequests') return true;
  if (reason === 'ServerTimeout' || (details?.retryAfterSeconds ?? 0) > 0) return true;
  return code === 429 || ((code === 500 || code === 504) && (reason ?? '') === '');
}

/** Looks at causes too. */
function isConnectionReset(error: unknown): boolean {
  if (codeOf(error) === 'ECONNRESET') return true;
  return error instanceof Error && error.cause !== undefined && isConnectionReset(error.cause);
}
