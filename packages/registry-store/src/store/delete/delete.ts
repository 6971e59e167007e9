import type { DeleteOptions, KubeObject } from '@apiserver/apimachinery';
import {
  loadedObject,
  type StoragePreconditions,
  type StoredObject,
  type VerbContext,
} from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '../../storage-error.js';
import { decorated } from '../decorate.js';
import { storageKey } from '../storage-key.js';
import { interpret, isDryRun, type StoreCore } from '../store-core.js';
import { beforeDelete } from './before-delete.js';
import type { DeleteRequest } from './delete-request.js';
import { deletionFinalizers } from './deletion-finalizers.js';
import { markForDeletion } from './mark-for-deletion.js';

/** `deleted` is false if deletion has only begun; `stored` has its state. */
export interface DeleteResult<T extends KubeObject> {
  readonly stored: StoredObject<T>;
  readonly deleted: boolean;
}

/**
 * Deletes an object, or marks it as being deleted while finalizers or a grace period keep it.
 * Upstream: Store.Delete of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function deleteObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteRequest<T>,
): Promise<DeleteResult<T>> {
  const { name, options } = request;
  const key = storageKey(core, context, name);
  const existing = await existingObject(core, context, key, name);
  const loading = loadedObject(existing);
  const object = loading instanceof Promise ? await loading : loading;
  const grace = beforeDelete(core, context, object, options);
  if (grace.type === 'pending') return ended(core, existing, false);
  if (grace.type === 'none' && !isHeld(core, object, options)) {
    return deleteNow(core, context, request, { key, preconditions: options.preconditions ?? {} });
  }
  const mark = await markForDeletion(core, context, request, key);
  if (mark.type === 'alreadyDeleting') {
    await core.hooks.afterDelete?.(object, options);
    return ended(core, existing, false);
  }
  if (mark.type === 'held') return { stored: mark.stored, deleted: false };
  if (isDryRun(options) && mark.stored !== undefined) return { stored: mark.stored, deleted: true };
  const preconditions = preconditionsAfter(options, mark.stored);
  return deleteNow(core, context, request, { key, preconditions, marked: mark.stored });
}

async function existingObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  key: string,
  name: string,
): Promise<StoredObject<T>> {
  try {
    return await core.storage({}).get(key, {});
  } catch (error) {
    throw interpret(core, context, { error, name, operation: 'delete' });
  }
}

function isHeld<T extends KubeObject>(core: StoreCore<T>, object: T, options: DeleteOptions): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || deletionFinalizers(core, object, options) !== undefined;
}

/** The mark was a write of this delete, so a precondition on the earlier version no longer holds. */
function preconditionsAfter<T extends KubeObject>(
  options: DeleteOptions,
  marked: StoredObject<T> | undefined,
): StoragePreconditions {
  const preconditions = options.preconditions ?? {};
  if (marked === undefined || preconditions.resourceVersion === undefined) return preconditions;
  return { ...preconditions, resourceVersion: marked.resourceVersion };
}

interface Removal<T extends KubeObject> {
  readonly key: string;
  readonly preconditions: StoragePreconditions;
  /** The object as marked by this delete; another client may have seen the mark and removed it first. */
  readonly marked?: StoredObject<T> | undefined;
}

async function deleteNow<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteRequest<T>,
  removal: Removal<T>,
): Promise<DeleteResult<T>> {
  const { options } = request;
  let gone: StoredObject<T>;
  try {
    gone = await core.storage(options).delete(removal.key, removal.preconditions, request.validate);
  } catch (error) {
    if (removal.marked === undefined || !isKeyNotFound(error)) {
      throw interpret(core, context, { error, name: request.name, operation: 'delete' });
    }
    gone = removal.marked;
  }
  await core.hooks.afterDelete?.(gone.object, options);
  return ended(core, gone, true);
}

function ended<T extends KubeObject>(core: StoreCore<T>, stored: StoredObject<T>, deleted: boolean): DeleteResult<T> {
  const decorate = core.definition.returnDeletedObject ? core.hooks.decorate : undefined;
  return { stored: decorated(decorate, stored), deleted };
}
