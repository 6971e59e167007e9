import { MAX_ERROR_TEXT, MAX_ERRORS } from './capped-errors.js';
import type { FieldError } from './field-error-type.js';
import { OMITTED_VALUE } from './print-value.js';

/**
 * Number of errors after which a validation is aborted. It is ten times the number in a response, because some errors
 * are created and dropped: those that existed before an update.
 */
export const MAX_FIELD_ERRORS_MADE: number = 10 * MAX_ERRORS;

/**
 * UTF-16 units of fields and details of errors after which a validation is aborted. The fields of deep values are so
 * long that far fewer than `MAX_FIELD_ERRORS_MADE` errors take many megabytes.
 */
export const MAX_FIELD_ERROR_TEXT_MADE: number = 10 * MAX_ERROR_TEXT;

/** The last error of a truncated list: it represents further ones. */
export interface FurtherFieldErrors extends FieldError {
  readonly further: number;
  /** True if there may be more that were not counted. */
  readonly atLeast: boolean;
}

/** The error that represents `further` omitted ones. */
export function furtherFieldErrors(further: number, atLeast: boolean): FurtherFieldErrors {
  const count = `${atLeast ? 'at least ' : ''}${further} more ${further === 1 ? 'error' : 'errors'}`;
  // Upstream prints `<nil>` for the field of an error without one.
  const where = { type: 'FieldValueTooMany', field: '<nil>', badValue: OMITTED_VALUE } as const;
  return { ...where, detail: `and ${count}`, further, atLeast };
}

/** True for the entry that stands for errors beyond the bound. */
export function isFurtherFieldErrors(error: FieldError): error is FurtherFieldErrors {
  return 'further' in error;
}

/** Aborts a validation with too many errors. Only `run` catches it. */
class TooManyFieldErrors extends Error {}

/** The errors that a validation has created. */
class Made {
  readonly first: FieldError[] = [];
  count = 0;
  /** UTF-16 units. */
  text = 0;
  /** Large values without a fault. */
  valid: Set<object> | undefined;
  /** Maximum number of errors; one more aborts the validation. */
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }
}

/** State of the current validation. Validation is synchronous, so there is at most one. */
let running: Made | undefined;

/**
 * Runs a validation with a bounded number of errors. Upstream has no bound, and a body of 3 MiB can be wrong in a
 * million places. A validation beyond the bound is aborted, and the result is its first errors. `validate` must be
 * synchronous and must not catch unknown errors.
 */
export function collectFieldErrors(validate: () => readonly FieldError[]): readonly FieldError[] {
  const made = new Made(MAX_FIELD_ERRORS_MADE);
  return run(validate, made) ?? [...made.first, furtherFieldErrors(made.count - made.first.length, true)];
}

/**
 * True if a validation finds an error; it is aborted at the first one. For stored objects: their errors are not
 * reported, and must not count among those of an update. `validate` as for `collectFieldErrors`.
 */
export function hasFieldErrors(validate: () => readonly FieldError[]): boolean {
  return run(validate, new Made(0))?.length !== 0;
}

/** Undefined if the validation was aborted. */
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

/** Counts a created error for the current validation, and aborts it beyond the bound. */
export function countFieldError(error: FieldError): FieldError {
  if (running === undefined) return error;
  running.text += error.field.length + error.detail.length;
  if (++running.count > running.limit || running.text > MAX_FIELD_ERROR_TEXT_MADE) {
    throw new TooManyFieldErrors('too many field errors');
  }
  if (running.first.length < MAX_ERRORS) running.first.push(error);
  return error;
}

/** True if the current validation has found a value to be valid. It changes no value. */
export function isKnownValid(value: object): boolean {
  return running?.valid?.has(value) ?? false;
}

/** Remembers a large valid value until the end of the current validation: several checks of a kind may look at it. */
export function noteValid(value: object): void {
  if (running === undefined) return;
  running.valid ??= new Set();
  running.valid.add(value);
}
