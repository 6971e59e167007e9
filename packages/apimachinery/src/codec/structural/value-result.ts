import type { OldValue } from './correlated-value.js';
import type { ValueError } from './value-error.js';

/**
 * Result of validating one value. `matches` counts valid parts: of several failures, the one with most matches is
 * reported.
 */
export interface ValueResult {
  readonly errors: ValueError[];
  matches: number;
}

/** Validates a value at a path; `old` is undefined if the old value is unknown. */
export type ValidateValue = (value: unknown, path: string, old?: OldValue) => ValueResult;
