import { messageOf } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';

/** Turns whatever a backend threw into a KeyValueError. */
export function toKeyValueError(error: unknown): KeyValueError {
  if (isKeyValueError(error)) return error;
  const message = messageOf(error);
  return new KeyValueError('Unavailable', message, { cause: error });
}
