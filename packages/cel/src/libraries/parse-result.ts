import { isParseError } from '@apiserver/apimachinery/text';
import { EvaluationError, type Result } from '../values/value.js';

/** The result of a function that parses: a ParseError becomes the error of the evaluation, after `prefix`. */
export function orError(parse: () => Result, prefix = ''): Result {
  try {
    return parse();
  } catch (error) {
    if (!isParseError(error)) throw error;
    return new EvaluationError(`${prefix}${error.message}`);
  }
}

/** Reports whether a function throws no ParseError. */
export function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (!isParseError(error)) throw error;
    return false;
  }
}
