import type { KubeObject } from '@apiserver/apimachinery';
import { newKeyNotFoundError } from '../storage-error.js';
import { entryOf } from './entry-of.js';
import { accessing, type ObjectFolder } from './object-folder.js';
import type { StoredEntry } from './stored-entry.js';
import { asCorruptObject } from './unreadable-objects.js';

/**
 * Reads an object from the store; `checkRevision` first checks the revision of the read, and may throw. Throws
 * StorageError.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go Get
 */
export async function readEntry<T extends KubeObject>(
  folder: ObjectFolder<T>,
  key: string,
  checkRevision?: (revision: number) => void,
): Promise<StoredEntry<T>> {
  const fullKey = folder.kind.prefix + key;
  const { kv, revision } = await accessing(fullKey, () => folder.store.get(fullKey));
  checkRevision?.(revision);
  if (kv === undefined) throw newKeyNotFoundError(fullKey, revision);
  if (folder.unsafeDeletion !== true) return await entryOf(folder, kv);
  try {
    return await entryOf(folder, kv);
  } catch (error) {
    // Upstream checks a read before it prefixes the key with the root.
    throw asCorruptObject(error, `/${folder.kind.keyPrefix}/${key}`, kv.modRevision);
  }
}
