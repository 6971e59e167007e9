import type { OldValue } from './correlated-value.js';
import type { ValueError } from './value-error.js';

/** What validating one value has found. `matches` counts what was in order: of several failures, the better one counts. */
export interface ValueResult {
  readonly errors: ValueError[];
  matches: number;
}

/** Validates a value at a path; `old` is undefined where it is not known what the value was. */
export type ValidateValue = (value: unknown, path: string, old?: OldValue) => ValueResult;
