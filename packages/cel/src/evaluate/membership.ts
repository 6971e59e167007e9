import { elementsOf } from '../values/lists.js';
import { isHashable, unhashable } from '../values/maps.js';
import { Double, type Int, Uint } from '../values/number.js';
import { EvaluationError, ListValue, type Value } from '../values/value.js';
import type { Plan } from './attribute.js';
import type { Step } from './frame.js';

/**
 * `x in [constants]` as the look-up in a set, which costs nothing; undefined for constants that are no scalars.
 *
 * Upstream: maybeOptimizeSetMembership in github.com/google/cel-go/interpreter/decorators.go
 */
export function membershipPlan(operand: Step, list: Value): Plan | undefined {
  if (!(list instanceof ListValue)) return undefined;
  if (list.size === 0) return { kind: 'constant', value: false };
  const scalars = new Set<Scalar>();
  const doubles = new Set<number>();
  for (const element of elementsOf(list)) {
    const scalar = scalarOf(element);
    if (scalar === undefined) return undefined;
    if (!(element instanceof Double)) scalars.add(scalar);
    if (typeof scalar === 'number' || typeof scalar === 'bigint') doubles.add(Number(scalar));
  }
  const run: Step = (frame) => {
    const value = operand(frame);
    if (value instanceof EvaluationError) return value;
    const scalar = scalarOf(value);
    if (scalar === undefined && !isHashable(value)) throw unhashable(value);
    if (scalar === undefined || Number.isNaN(scalar)) return false;
    if (value instanceof Double) return doubles.has(value.value);
    return scalars.has(scalar) || holdsExactly(doubles, list, scalar);
  };
  return { kind: 'step', run };
}

type Scalar = boolean | string | Int;

function scalarOf(value: Value): Scalar | undefined {
  if (value instanceof Uint || value instanceof Double) return value.value;
  return value === null || typeof value === 'object' ? undefined : value;
}

/** True if a double of the list is exactly an integer. */
function holdsExactly(doubles: ReadonlySet<number>, list: ListValue, scalar: Scalar): boolean {
  if (typeof scalar !== 'number' && typeof scalar !== 'bigint') return false;
  if (!doubles.has(Number(scalar))) return false;
  for (const element of elementsOf(list)) {
    if (element instanceof Double && Number.isInteger(element.value) && BigInt(element.value) === BigInt(scalar)) {
      return true;
    }
  }
  return false;
}
