import { type FieldError, fieldErrorMessage } from './field-error.js';

/**
 * Joins messages: a single message unchanged, several as `[a, b]`, without duplicates, in order. Empty for no message.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/errors/errors.go
 */
export function aggregateMessages(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length === 1 ? (unique[0] ?? '') : unique.length === 0 ? '' : `[${unique.join(', ')}]`;
}

/** The messages of field errors as one text, as aggregateMessages. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return aggregateMessages(errors.map(fieldErrorMessage));
}
