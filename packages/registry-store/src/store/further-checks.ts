import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';

/** Time that the first checks may take before further ones wait for another event loop turn. */
const SLICE_MS = 10;

/** Input of `furtherErrors`. */
interface CheckedObject<T extends KubeObject> {
  readonly object: T;
  /** Undefined for a new object. */
  readonly old: T | undefined;
}

/**
 * Runs `first`, which checks an object, and then `validateInTurns` of its strategy: in a later turn if the first checks
 * took long. `errors` selects those that `validateInTurns` gets.
 */
export function furtherErrors<T extends KubeObject>(
  strategy: Strategy<T>,
  context: VerbContext,
  { object, old }: CheckedObject<T>,
  first: () => readonly FieldError[],
): readonly FieldError[] | Promise<readonly FieldError[]> {
  if (strategy.validateInTurns === undefined) {
    first();
    return [];
  }
  const slice = new TimeSlice(SLICE_MS);
  const errors = first();
  const validate = () => strategy.validateInTurns?.(context, object, old, errors) ?? [];
  return slice.over ? slice.yield().then(validate) : validate();
}
