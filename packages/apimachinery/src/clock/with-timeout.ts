import type { Clock } from './clock.js';

/** A time limit, beside the signal of the caller. */
export interface TimeLimit {
  readonly clock: Clock;
  /** 0 or less: no limit. */
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs with a signal that aborts with the caller's or after the time, then with the reason "context deadline exceeded".
 * It does not end `run` itself.
 * Upstream: context.WithTimeout of Go
 */
export async function withTimeout<T>(
  { clock, milliseconds, signal }: TimeLimit,
  run: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (milliseconds <= 0) return run(signal);
  const late = new AbortController();
  const cancel = clock.schedule(() => late.abort(new Error('context deadline exceeded')), milliseconds);
  try {
    return await run(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}
