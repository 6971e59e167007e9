import { EvaluationError, type OpaqueValue } from './value.js';

/** No overload fits the arguments. */
export const NO_SUCH_OVERLOAD = new EvaluationError('no such overload');
export const INTEGER_OVERFLOW = new EvaluationError('integer overflow');
export const UNSIGNED_OVERFLOW = new EvaluationError('unsigned integer overflow');
export const TIMESTAMP_OVERFLOW = new EvaluationError('timestamp overflow');
export const DIVISION_BY_ZERO = new EvaluationError('division by zero');
export const MODULUS_BY_ZERO = new EvaluationError('modulus by zero');
/** The evaluation costs more than it may. It ends at once: nothing absorbs this error. */
export const COST_LIMIT_EXCEEDED = new EvaluationError('operation cancelled: actual cost limit exceeded');

/** The error of a value whose Go type is no type of expressions. */
export function noConversion(goType: string, value: OpaqueValue): EvaluationError {
  return new EvaluationError(`unsupported conversion to ref.Val: (${goType})${value}`);
}

/** A conversion that is not possible, between types by their names at run time. */
export function conversionError(from: string, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${from}' to '${to}'`);
}
