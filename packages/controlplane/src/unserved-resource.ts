import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, type ResourceDeclaration } from '@apiserver/resource-kit';

/** Private storage of the servers, under keys that no API serves. Only servers write it, so nothing is validated. */
export function unservedResource<T extends KubeObject>(
  declaration: Pick<ResourceDeclaration<T>, 'resource' | 'versions' | 'keyPrefix'>,
): ResourceDefinition<T> {
  const strategy = {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validate: () => [],
    validateUpdate: () => [],
  };
  return defineResource<T>({ ...declaration, verbs: [], strategy, columns: [] });
}
