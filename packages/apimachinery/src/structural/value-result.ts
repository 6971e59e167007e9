import type { ValueError } from './value-error.js';

/** What a value was before an update; undefined where that is not known. */
export interface OldValue {
  readonly value: unknown;
}

/** What validating one value has found. `matches` counts what was in order: of several failures, the better one counts. */
export interface ValueResult {
  readonly errors: ValueError[];
  matches: number;
}

/** Validates a value at a path. */
export type ValidateValue = (value: unknown, path: string, old?: OldValue) => ValueResult;
