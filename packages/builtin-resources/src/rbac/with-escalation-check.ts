import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition, UpdatedObjectInfo, VerbContext } from '@apiserver/apiserver-contracts';

/** Refuses by throwing a StatusError what would give somebody more than the user has. `old` is there on update. */
export type EscalationCheck<T extends KubeObject> = (context: VerbContext, object: T, old?: T) => Promise<void>;

/**
 * The definition of a kind of role or binding for one server: before an object is made or changed, `check` looks whether
 * the user may grant what it grants.
 * Upstream: the policybased storages of pkg/registry/rbac
 */
export function withEscalationCheck<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  check: EscalationCheck<T>,
): ResourceDefinition<T> {
  return {
    ...definition,
    storeHooks: {
      ...definition.storeHooks,
      override: (generic) => ({
        async create(context, object, validate, options) {
          await check(context, object);
          return generic.create(context, object, validate, options);
        },
        update: (context, request) =>
          generic.update(context, { ...request, objectInfo: checked(request.objectInfo, check) }),
      }),
    },
  };
}

function checked<T extends KubeObject>(info: UpdatedObjectInfo<T>, check: EscalationCheck<T>): UpdatedObjectInfo<T> {
  return {
    ...(info.preconditions === undefined ? undefined : { preconditions: info.preconditions }),
    async updatedObject(context, old) {
      const object = await info.updatedObject(context, old);
      await check(context, object, old);
      return object;
    },
  };
}
