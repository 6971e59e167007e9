import type { KubeObject } from '@apiserver/apimachinery';
import { newKeyNotFoundError } from '../storage-error.js';
import { entryOf } from './entry-of.js';
import { accessing, type ResourceContext } from './resource-context.js';
import type { StoredEntry } from './stored-entry.js';
import { asCorruptObject } from './unreadable-objects.js';

/**
 * Reads an object from the store; `checkRevision` first checks the revision of the read, and may throw. Throws
 * StorageError.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go Get
 */
export async function readEntry<T extends KubeObject>(
  context: ResourceContext<T>,
  key: string,
  checkRevision?: (revision: number) => void,
): Promise<StoredEntry<T>> {
  const fullKey = context.kind.prefix + key;
  const { kv, revision } = await accessing(fullKey, () => context.store.get(fullKey));
  checkRevision?.(revision);
  if (kv === undefined) throw newKeyNotFoundError(fullKey, revision);
  if (context.unsafeDeletion !== true) return await entryOf(context, kv);
  try {
    return await entryOf(context, kv);
  } catch (error) {
    // Upstream checks a read before it prefixes the key with the root.
    throw asCorruptObject(error, `/${context.kind.keyPrefix}/${key}`, kv.modRevision);
  }
}
