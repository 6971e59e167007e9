import { messageOf } from '@apiserver/apimachinery/errors';
import { ControlPlaneError, checkFields, type Duration, duration, durationMilliseconds } from '@apiserver/test-powers';
import { type ChangeSources, PlaneChanges } from './plane-changes.js';

/** The limit of a check. */
export interface EventuallyOptions {
  /** In real time, whatever the plane's clock says. Default: 5 s. */
  readonly timeout?: Duration;
}

/**
 * Repeats a check until it returns: upon each change of the plane, and a few times after it. A check that throws, or
 * returns false, has failed. Resolves with the result. Throws a ControlPlaneError with the last failure as its cause.
 */
export async function checkUntil<T>(
  check: () => T | Promise<T>,
  sources: ChangeSources,
  options: EventuallyOptions = {},
): Promise<T> {
  checkFields(options, 'options of eventually', { timeout: duration });
  const { timeout = '5s' } = options;
  const limit = durationMilliseconds(timeout);
  const deadline = performance.now() + limit;
  using changes = new PlaneChanges(sources);
  let failure: unknown = new Error('the check has not returned');
  let checks = 0;
  for (let left = limit; ; left = deadline - performance.now()) {
    changes.beginCheck();
    checks++;
    const result = await outcomeOf(check, Math.max(left, 1));
    if (result?.ok) return result.value;
    failure = result === undefined ? failure : result.error;
    left = deadline - performance.now();
    if (result === undefined || left <= 0) throw tooLate(failure, `${timeout}`, checks);
    await changes.next(left);
  }
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Undefined if the check takes longer than the time that is left. */
async function outcomeOf<T>(check: () => T | Promise<T>, left: number): Promise<Outcome<T> | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), left);
  try {
    return await Promise.race([late.promise, attempt(check)]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T>(check: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await check();
    return value === false ? { ok: false, error: new Error('the check returned false') } : { ok: true, value };
  } catch (error) {
    return { ok: false, error };
  }
}

function tooLate(cause: unknown, timeout: string, checks: number): ControlPlaneError {
  const unit = /^\d+$/.test(timeout) ? ' ms' : '';
  const times = checks === 1 ? 'one check' : `${checks} checks`;
  return new ControlPlaneError(`not within ${timeout}${unit} (${times}): ${messageOf(cause)}`, { cause });
}

/** A plane, as far as checks need it. */
export interface CheckedPlane {
  eventually<T>(check: () => T | Promise<T>, options?: EventuallyOptions): Promise<T>;
}

/** As `plane.eventually`. */
export function eventually<T>(
  check: () => T | Promise<T>,
  { plane, ...options }: EventuallyOptions & { readonly plane: CheckedPlane },
): Promise<T> {
  return plane.eventually(check, options);
}
