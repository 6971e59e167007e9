import { appendAll } from '../../field/append-all.js';
import { MAX_FIELD_ERRORS_MADE } from '../../field/collect-field-errors.js';
import { type FieldError, fieldInvalid } from '../../field/field-error.js';
import type { FieldPath } from '../../field/path.js';
import type { OldValue } from './correlated-value.js';
import type { ValueError } from './value-error.js';

/**
 * Result of validating one value. Of several failures, the one with most matches is reported. Most matches are checks
 * that were made, whatever they found.
 *
 * Upstream: MatchCount of k8s.io/kube-openapi/pkg/validation/validate/result.go
 */
export interface ValueResult {
  errors: ValueError[];
  matches: number;
}

/**
 * Adds the result of a nested value, which must not be used afterwards, to that of the outer one. The longer list of
 * errors is kept: below a thousand levels, thousands of errors would be copied at each of them.
 */
export function takeResult(result: ValueResult, nested: ValueResult): void {
  result.matches += nested.matches;
  // Beyond some hundred thousand arguments, a call throws a RangeError.
  if (nested.errors.length <= result.errors.length || result.errors.length > MAX_FIELD_ERRORS_MADE) {
    appendAll(result.errors, nested.errors);
    return;
  }
  nested.errors.unshift(...result.errors);
  result.errors = nested.errors;
}

/** Validates a value at a path; `old` is undefined if the old value is unknown. */
export type ValidateValue = (value: unknown, path: string, old?: OldValue) => ValueResult;

/**
 * The most values that one validation checks. A value below n alternatives counts n times, and twice where it is wrong.
 * An object has at most 100,000 values.
 */
const MAX_CHECKS = 300_000;

/** The validation of one object at a time, whose work is bounded. */
export class ValidationEffort {
  #left = MAX_CHECKS;

  /** Throws out of `bounded` when the work exceeds the bound. */
  spend(checks: number): void {
    this.#left -= checks;
    if (this.#left < 0) throw new TooMuchEffort();
  }

  /** The errors of a validation, or one error when it would take too long. */
  bounded(at: FieldPath, validate: () => readonly FieldError[]): readonly FieldError[] {
    this.#left = MAX_CHECKS;
    try {
      return validate();
    } catch (error) {
      if (!(error instanceof TooMuchEffort)) throw error;
      return [fieldInvalid(at, '', 'checking the value against its schema would take too long')];
    }
  }
}

class TooMuchEffort extends Error {}
