import { cutText } from '../text/cut-text.js';
import { quote } from '../text/quote.js';
import { MAX_ERROR_TEXT } from './capped-errors.js';
import { countFieldError } from './collect-field-errors.js';
import type { FieldError, FieldErrorType } from './field-error-type.js';
import type { FieldPath } from './path.js';
import { OMITTED_VALUE, printValue } from './print-value.js';

export type { FieldError, FieldErrorType } from './field-error-type.js';

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

/**
 * The message of a field error without the field, as in a Status cause. A value and a detail are cut where they are longer
 * than all errors of a request may be together.
 */
export function fieldErrorBody(error: FieldError): string {
  const title = TITLES[error.type];
  const { badValue } = error;
  const shown = !WITHOUT_VALUE.has(error.type) && badValue !== OMITTED_VALUE;
  const head = shown ? `${title}: ${shownValue(badValue)}` : title;
  return error.detail === '' ? head : `${head}: ${shownText(error.detail)}`;
}

/** A text is cut before it is quoted, which takes several times as long as the text. */
function shownValue(value: unknown): string {
  return typeof value === 'string' ? printValue(shownText(value)) : shownText(printValue(value));
}

function shownText(text: string): string {
  return cutText(text, MAX_ERROR_TEXT);
}

/** The whole message of a field error: `spec.replicas: Invalid value: -1: must be …`. */
export function fieldErrorMessage(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Sets the rule that a field error reports. */
export function withOrigin(error: FieldError, origin: string): FieldError {
  return { ...error, origin };
}

function fieldError(type: FieldErrorType, path: FieldPath, badValue: unknown, detail: string): FieldError {
  return countFieldError({ type, field: path.toString(), badValue, detail });
}

/** A malformed value: failed pattern, out of bounds. */
export function fieldInvalid(path: FieldPath, badValue: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, badValue, detail);
}

/** A missing value; `detail` may be empty. */
export function fieldRequired(path: FieldPath, detail: string): FieldError {
  return fieldError('FieldValueRequired', path, '', detail);
}

/** A duplicate of a value that must be unique. */
export function fieldDuplicate(path: FieldPath, badValue: unknown): FieldError {
  return fieldError('FieldValueDuplicate', path, badValue, '');
}

/** A reference to a missing object. */
export function fieldNotFound(path: FieldPath, badValue: unknown): FieldError {
  return fieldError('FieldValueNotFound', path, badValue, '');
}

/** A well-formed value that the current conditions do not permit. */
export function fieldForbidden(path: FieldPath, detail: string): FieldError {
  return fieldError('FieldValueForbidden', path, '', detail);
}

/**
 * A value outside an enumeration; the message lists `supported` in the order given (upstream sorts most of its lists).
 */
export function fieldNotSupported(path: FieldPath, badValue: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return fieldError('FieldValueNotSupported', path, badValue, detail);
}

/** A value of the wrong JSON type. */
export function fieldTypeInvalid(path: FieldPath, badValue: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', path, badValue, detail);
}

/** A failure to validate that is not the user's fault. */
export function fieldInternal(path: FieldPath, cause: Error): FieldError {
  return fieldError('InternalError', path, cause, cause.message);
}

/** More than `maxBytes` bytes of UTF-8; the message omits the value. A negative bound is not named. */
export function fieldTooLong(path: FieldPath, maxBytes: number): FieldError {
  return fieldError('FieldValueTooLong', path, '<value omitted>', tooLongDetail(maxBytes, 'byte'));
}

/** As fieldTooLong, counted in characters. */
export function fieldTooLongCharacters(path: FieldPath, maxCharacters: number): FieldError {
  return fieldError('FieldValueTooLong', path, '<value omitted>', tooLongDetail(maxCharacters, 'character'));
}

function tooLongDetail(bound: number, unit: string): string {
  return bound < 0 ? 'value is too long' : `may not be more than ${counted(bound, unit)}`;
}

/** Fewer than `minCharacters` characters. */
export function fieldTooShort(path: FieldPath, badValue: string, minCharacters: number): FieldError {
  const detail = minCharacters < 0 ? 'value is too short' : `must be at least ${counted(minCharacters, 'character')}`;
  return fieldError('FieldValueTooShort', path, badValue, detail);
}

/** More than `max` items. A negative `actual` is not printed, a negative `max` not named. */
export function fieldTooMany(path: FieldPath, actual: number, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${counted(max, 'item')}`;
  return fieldError('FieldValueTooMany', path, actual < 0 ? OMITTED_VALUE : actual, detail);
}

/** Fewer than `min` items. */
export function fieldTooFew(path: FieldPath, actual: number, min: number): FieldError {
  const detail = min < 0 ? 'has too few items' : `must have at least ${counted(min, 'item')}`;
  return fieldError('FieldValueTooFew', path, actual, detail);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
