import type { KubeObject } from '@apiserver/apimachinery';
import { newInvalid } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { isKeyNotFound, isUnreadable } from '../../storage-error.js';
import { storageKey } from '../storage-key.js';
import { groupResourceOf, interpret, type StoreCore } from '../store-core.js';

const OPTION = FieldPath.of('ignoreStoreReadErrorWithClusterBreakingPotential');
const ONLY_CORRUPT = 'is exclusively used to delete corrupt object(s), try again by removing this option';

/**
 * Deletes an unreadable object. Preconditions, finalizers, admission and hooks are skipped, because they would have to
 * read it. Throws a 422 for one that is readable or absent.
 * Upstream: k8s.io/apiserver/pkg/registry/generic/registry/corrupt_obj_deleter.go
 */
export async function deleteCorruptObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  name: string,
): Promise<{ readonly deleted: boolean }> {
  const key = storageKey(core, context, name);
  const storage = core.storage({});
  try {
    if (await isReadable(() => storage.get(key, {}))) {
      const { group, resource } = groupResourceOf(core, context);
      throw newInvalid({ group, kind: resource }, name, [fieldInvalid(OPTION, true, ONLY_CORRUPT)]);
    }
    await storage.deleteUnread(key);
    return { deleted: true };
  } catch (error) {
    if (isKeyNotFound(error)) return { deleted: false };
    throw interpret(core, context, { error, name, operation: 'delete' });
  }
}

async function isReadable(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    return !isUnreadable(error);
  }
}
