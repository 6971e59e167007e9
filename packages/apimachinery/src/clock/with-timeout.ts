import type { Clock } from './clock.js';
import { JoinedSignal } from './joined-signal.js';

const DEADLINE_EXCEEDED = 'DeadlineExceeded';

/** A time limit, beside the signal of the caller. */
export interface TimeLimit {
  readonly clock: Clock;
  /** 0 or less: no limit. */
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reports whether a time limit of `withTimeout` ended the work. */
export function isDeadlineExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === DEADLINE_EXCEEDED;
}

function deadlineExceeded(): Error {
  return Object.assign(new Error('context deadline exceeded'), { name: DEADLINE_EXCEEDED });
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
  const cancel = clock.schedule(() => late.abort(deadlineExceeded()), milliseconds);
  const joined = signal && new JoinedSignal(signal, late.signal);
  try {
    return await run((joined ?? late).signal);
  } finally {
    cancel();
    joined?.[Symbol.dispose]();
  }
}
