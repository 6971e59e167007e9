import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition, UpdatedObjectInfo, VerbContext } from '@apiserver/apiserver-contracts';

/** Throws a StatusError to refuse a grant of permissions that the user lacks. `old` is set on update. */
export type EscalationCheck<T extends KubeObject> = (context: VerbContext, object: T, old?: T) => Promise<void>;

/**
 * The definition of a role or binding for one server. Before a create or update, `check` decides whether the user may
 * grant its permissions.
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
