import { CappedErrors, type ErrorCap } from './capped-errors.js';
import { furtherFieldErrors, isFurtherFieldErrors } from './collect-field-errors.js';
import { type FieldError, fieldErrorBody } from './field-error.js';

/** A field error with its message, which may be as long as the object. */
export interface ListedFieldError {
  readonly error: FieldError;
  readonly body: string;
}

const TOLD: ErrorCap<ListedFieldError> = {
  sizeOf: ({ error, body }) => error.field.length + body.length,
  further: (count) => withMessage(furtherFieldErrors(count, false)),
};

/** The errors that a response lists: the first ones, and one more that represents the others. */
export function listedFieldErrors(errors: readonly FieldError[]): readonly ListedFieldError[] {
  const last = errors.at(-1);
  const cut = last !== undefined && isFurtherFieldErrors(last) ? last : undefined;
  const capped = new CappedErrors(TOLD);
  const count = cut === undefined ? errors.length : errors.length - 1;
  let made = 0;
  while (made < count && !capped.isFull) capped.add(withMessage(errors[made++] as FieldError));
  if (capped.isFull && made < count) capped.skip(count - made);
  const list = capped.list();
  if (cut === undefined) return list;
  const further = list.at(-1)?.error;
  if (further === undefined || !isFurtherFieldErrors(further)) return [...list, withMessage(cut)];
  return [...list.slice(0, -1), withMessage(furtherFieldErrors(further.further + cut.further, cut.atLeast))];
}

function withMessage(error: FieldError): ListedFieldError {
  return { error, body: fieldErrorBody(error) };
}
