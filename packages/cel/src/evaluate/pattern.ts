import type { Implementation } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import type { Plan } from './attribute.js';

const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);

/** Reports whether a call searches with a pattern that is a constant. */
export function isPatternConstant(name: string, [, pattern]: readonly Plan[]): boolean {
  return PATTERN_FUNCTIONS.has(name) && pattern?.kind === 'constant';
}

/** The error of a constant pattern, which upstream compiles when the program is made. */
export function patternFault(
  name: string,
  [overload]: readonly Implementation[],
  [, pattern, ...rest]: readonly Plan[],
): EvaluationError | undefined {
  if (!PATTERN_FUNCTIONS.has(name) || pattern?.kind !== 'constant' || typeof pattern.value !== 'string')
    return undefined;
  const result = overload?.run('', pattern.value, ...rest.map(() => 0));
  if (!(result instanceof EvaluationError)) return undefined;
  return new EvaluationError(result.message.replace(/^Illegal regex: /, ''));
}
