import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';

/**
 * The errors of all checks of a strategy, those in turns of their own included. `old` is undefined for a new object.
 */
export async function allErrors(
  strategy: Strategy,
  context: VerbContext,
  object: KubeObject,
  old?: KubeObject,
): Promise<readonly FieldError[]> {
  const errors = old === undefined ? strategy.validate(context, object) : strategy.validateUpdate(context, object, old);
  return [...errors, ...((await strategy.validateInTurns?.(context, object, old, errors)) ?? [])];
}
