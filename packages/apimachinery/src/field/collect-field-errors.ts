import { MAX_ERRORS } from './capped-errors.js';
import type { FieldError } from './field-error-type.js';
import { OMITTED_VALUE } from './print-value.js';

/**
 * How many errors one validation may make before it is ended: ten times what an answer tells of, because some are made
 * to be dropped, as those of what was wrong before an update.
 */
export const MAX_FIELD_ERRORS_MADE: number = 10 * MAX_ERRORS;

/** The last error of a list that was cut: it stands for further ones. */
export interface FurtherFieldErrors extends FieldError {
  readonly further: number;
  /** There may be more: nobody has looked. */
  readonly atLeast: boolean;
}

/** The error that stands for `further` ones that are not told. */
export function furtherFieldErrors(further: number, atLeast: boolean): FurtherFieldErrors {
  const count = `${atLeast ? 'at least ' : ''}${further} more ${further === 1 ? 'error' : 'errors'}`;
  // `<nil>` is what upstream prints for the place of an error that is of no field.
  const where = { type: 'FieldValueTooMany', field: '<nil>', badValue: OMITTED_VALUE } as const;
  return { ...where, detail: `and ${count}`, further, atLeast };
}

export function isFurtherFieldErrors(error: FieldError): error is FurtherFieldErrors {
  return 'further' in error;
}

/** Ends a validation that makes too many errors. Nobody but `run` catches it. */
class TooManyFieldErrors extends Error {}

/** The errors that a validation has made. */
class Made {
  readonly first: FieldError[] = [];
  count = 0;
  /** With more errors the validation is ended. */
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }
}

/** Of the validation that runs. Validation is synchronous, so one at a time does. */
let running: Made | undefined;

/**
 * Runs a validation, which makes a bounded number of errors. Upstream has no bound, and a body of 3 MiB can be wrong in a
 * million places. A validation beyond the bound is ended, and the result is the first errors that it made.
 * `validate` must be synchronous and must not catch errors that it does not know.
 */
export function collectFieldErrors(validate: () => readonly FieldError[]): readonly FieldError[] {
  const made = new Made(MAX_FIELD_ERRORS_MADE);
  return run(validate, made) ?? [...made.first, furtherFieldErrors(made.count - made.first.length, true)];
}

/**
 * True when a validation finds anything wrong; it is ended at the first error. For what is stored already: its errors are not
 * told, and must not count among those of an update. `validate` as for `collectFieldErrors`.
 */
export function hasFieldErrors(validate: () => readonly FieldError[]): boolean {
  return run(validate, new Made(0))?.length !== 0;
}

/** Undefined: the validation was ended. */
function run(validate: () => readonly FieldError[], made: Made): readonly FieldError[] | undefined {
  const outer = running;
  running = made;
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof TooManyFieldErrors)) throw error;
    return undefined;
  } finally {
    running = outer;
  }
}

/** Counts an error that has been made for the validation that runs, and ends that when there are too many. */
export function countFieldError(error: FieldError): FieldError {
  if (running === undefined) return error;
  if (++running.count > running.limit) throw new TooManyFieldErrors('too many field errors');
  if (running.first.length < MAX_ERRORS) running.first.push(error);
  return error;
}
