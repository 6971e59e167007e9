export { aggregateFieldErrors, aggregateMessages } from './aggregate.js';
export { appendAll } from './append-all.js';
export { CappedErrors, type ErrorCap, TEXT_CAP } from './capped-errors.js';
export { collectFieldErrors, hasFieldErrors, MAX_FIELD_ERROR_TEXT_MADE } from './collect-field-errors.js';
export {
  type FieldError,
  type FieldErrorType,
  fieldDuplicate,
  fieldErrorBody,
  fieldErrorMessage,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  withOrigin,
} from './field-error.js';
export { FieldPath } from './path.js';
export { OMITTED_VALUE, type PrintedAsJson, printedAsJson, printFloat } from './print-value.js';
export { seenBefore } from './seen-before.js';
