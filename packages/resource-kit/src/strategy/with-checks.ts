import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';

/** Checks that read another object or call an authorizer. Their errors precede those of the object itself. */
export interface StrategyChecks<T extends KubeObject> {
  create?(context: VerbContext, object: T): Promise<readonly FieldError[]>;
  update?(context: VerbContext, object: T, old: T): Promise<readonly FieldError[]>;
}

/**
 * Adds asynchronous checks to a strategy. They run once an object is prepared, so that their results are ready for
 * its validation.
 */
export function withChecks<T extends KubeObject>(strategy: Strategy<T>, checks: StrategyChecks<T>): Strategy<T> {
  const found = new WeakMap<T, readonly FieldError[]>();
  const errorsOf = (object: T): readonly FieldError[] => {
    const errors = found.get(object);
    if (errors === undefined) throw new TypeError('an object is validated that was not prepared');
    return errors;
  };
  const { create, update } = checks;
  return {
    ...strategy,
    ...(create && {
      async prepareForCreate(context: VerbContext, object: T) {
        await strategy.prepareForCreate?.(context, object);
        found.set(object, await create(context, object));
      },
      validate: (context: VerbContext, object: T) => [...errorsOf(object), ...strategy.validate(context, object)],
    }),
    ...(update && {
      async prepareForUpdate(context: VerbContext, object: T, old: T) {
        await strategy.prepareForUpdate?.(context, object, old);
        found.set(object, await update(context, object, old));
      },
      validateUpdate: (context: VerbContext, object: T, old: T) => [
        ...errorsOf(object),
        ...strategy.validateUpdate(context, object, old),
      ],
    }),
  };
}
