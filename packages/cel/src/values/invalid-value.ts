import { type CelType, ERROR } from '../types/cel-type.js';
import { NO_SUCH_OVERLOAD } from './errors.js';
import { EvaluationError, OpaqueValue, type Result, type Value } from './value.js';

/**
 * A part of an object that does not fit its schema. Reading it is an error; only it stands for its error inside lists
 * and maps.
 */
export class InvalidValue extends OpaqueValue {
  readonly type: CelType = ERROR;
  readonly error: EvaluationError;

  constructor(error: EvaluationError) {
    super();
    this.error = error;
  }

  override get unwrapError(): EvaluationError {
    return new EvaluationError(`unsupported conversion to ref.Val: (*errors.errorString)${this.error.message}`);
  }

  equals(): EvaluationError {
    return this.error;
  }
}

/** The result of reading a value: the error of an invalid one. */
export function readResult(value: Result): Result {
  return value instanceof InvalidValue ? value.error : value;
}

/** The error of a value that no overload takes: its own, if it is invalid. Upstream: MaybeNoSuchOverloadErr */
export function misfit(value: Value): EvaluationError {
  return value instanceof InvalidValue ? value.error : NO_SUCH_OVERLOAD;
}
