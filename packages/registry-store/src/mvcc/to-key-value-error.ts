import { isKeyValueError, KeyValueError } from '../key-value-error.js';

/** Turns whatever a backend threw into a KeyValueError. */
export function toKeyValueError(error: unknown): KeyValueError {
  if (isKeyValueError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KeyValueError('Unavailable', message, { cause: error });
}
