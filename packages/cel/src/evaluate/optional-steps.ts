import { readResult } from '../values/invalid-value.js';
import { OptionalValue } from '../values/value.js';
import type { Step } from './frame.js';

/** The step of `a.or(b)` or `a.orValue(b)`. They cost nothing, and evaluate `b` only if `a` is empty. */
export function orStep(first: Step, second: Step, unwrapped: boolean): Step {
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof OptionalValue)) return value;
    if (value.value === undefined) return second(frame);
    return unwrapped ? readResult(value.value) : value;
  };
}
