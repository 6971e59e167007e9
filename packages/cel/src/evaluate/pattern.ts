import type { Implementation } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import type { Plan } from './attribute.js';

const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);

function constantPattern(name: string, [, pattern]: readonly Plan[]): string | undefined {
  if (!PATTERN_FUNCTIONS.has(name) || pattern?.kind !== 'constant') return undefined;
  return typeof pattern.value === 'string' ? pattern.value : undefined;
}

/** True for a search with a constant pattern. */
export function hasConstantPattern(name: string, plans: readonly Plan[]): boolean {
  return constantPattern(name, plans) !== undefined;
}

/** The error of a constant pattern, which upstream compiles when the program is made. */
export function patternFault(
  name: string,
  [overload]: readonly Implementation[],
  plans: readonly Plan[],
): EvaluationError | undefined {
  const pattern = constantPattern(name, plans);
  if (pattern === undefined) return undefined;
  const result = overload?.run('', pattern, ...plans.slice(2).map(() => 0));
  if (!(result instanceof EvaluationError)) return undefined;
  return new EvaluationError(result.message.replace(/^Illegal regex: /, ''));
}
