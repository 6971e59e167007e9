import { CappedErrors, type ErrorCap } from './capped-errors.js';
import { furtherFieldErrors, isFurtherFieldErrors } from './collect-field-errors.js';
import { type FieldError, fieldErrorBody } from './field-error.js';

/** A field error with its message, which may be as long as the object is. */
export interface ToldFieldError {
  readonly error: FieldError;
  readonly body: string;
}

const TOLD: ErrorCap<ToldFieldError> = {
  sizeOf: ({ error, body }) => error.field.length + body.length,
  further: (count) => told(furtherFieldErrors(count, false)),
};

/** The errors that an answer tells of: the first ones, and one more for those that it has no room for. */
export function toldFieldErrors(errors: readonly FieldError[]): readonly ToldFieldError[] {
  const last = errors.at(-1);
  const untold = last !== undefined && isFurtherFieldErrors(last) ? last : undefined;
  const capped = new CappedErrors(TOLD);
  const count = untold === undefined ? errors.length : errors.length - 1;
  let made = 0;
  while (made < count && !capped.isFull) capped.add(told(errors[made++] as FieldError));
  if (capped.isFull && made < count) capped.skip(count - made);
  const list = capped.list();
  if (untold === undefined) return list;
  const further = list.at(-1)?.error;
  if (further === undefined || !isFurtherFieldErrors(further)) return [...list, told(untold)];
  return [...list.slice(0, -1), told(furtherFieldErrors(further.further + untold.further, untold.atLeast))];
}

function told(error: FieldError): ToldFieldError {
  return { error, body: fieldErrorBody(error) };
}
