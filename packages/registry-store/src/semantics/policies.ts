import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { StoragePolicy } from './storage-policy.js';
import { structuralStorage } from './structural-storage.js';
import { typedStorage } from './typed-storage.js';

/**
 * The policy of a resource. The only place of this package that looks at the semantics of a kind: check-architecture
 * refuses any other.
 */
export function storagePolicyOf({ versions }: VersionSchemas): StoragePolicy {
  return versions.some(({ schema }) => schema.semantics === 'structural') ? structuralStorage : typedStorage;
}

/** The part of a definition that does not depend on the type of its objects. */
interface VersionSchemas {
  readonly versions: readonly Pick<AnyResourceDefinition['versions'][number], 'schema'>[];
}
