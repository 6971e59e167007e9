import { messageOf } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';

/** Converts any error of a backend to a KeyValueError. */
export function toKeyValueError(error: unknown): KeyValueError {
  if (isKeyValueError(error)) return error;
  const message = messageOf(error);
  return new KeyValueError('Unavailable', message, { cause: error });
}
