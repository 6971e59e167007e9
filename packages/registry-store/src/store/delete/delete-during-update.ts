import type { DeleteOptions, KubeObject, UpdateOptions } from '@apiserver/apimachinery';
import type { StoragePreconditions, StoredObject, VerbContext } from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '../../storage-error.js';
import { interpret, type StoreCore } from '../store-core.js';
import { unstoredObject } from '../unstored-object.js';

/** Aborts an update because its object is to be deleted instead of stored. */
export class EmptiedFinalizers<T extends KubeObject> extends Error {
  /** The object that the update would have stored. */
  readonly object: T;

  constructor(object: T) {
    super('emptied finalizers');
    this.object = object;
  }
}

/**
 * Reports whether an update completes a deletion: no finalizer remains, a deletion was requested, and no grace period
 * is running.
 * Upstream: ShouldDeleteDuringUpdate of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export function shouldDeleteDuringUpdate<T extends KubeObject>(core: StoreCore<T>, object: T, existing: T): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if (!existing.metadata.deletionTimestamp || existing.metadata.deletionGracePeriodSeconds) return false;
  return core.hooks.shouldDeleteDuringUpdate?.(object, existing) ?? true;
}

/**
 * Deletes the object of an update that removed its last finalizer. The client receives the updated object. A concurrent
 * deletion is not an error.
 * Upstream: Store.deleteWithoutFinalizers
 */
export async function deleteEmptied<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: {
    readonly key: string;
    readonly name: string;
    readonly preconditions: StoragePreconditions;
    readonly options: UpdateOptions;
    readonly emptied: EmptiedFinalizers<T>;
  },
): Promise<{ readonly stored: StoredObject<T>; readonly created: false }> {
  const { key, name, preconditions, emptied } = request;
  const options: DeleteOptions = request.options.dryRun === undefined ? {} : { dryRun: request.options.dryRun };
  const updated = emptied.object;
  let deleted = updated;
  try {
    // Admission has seen the update; it is not called for the resulting deletion.
    deleted = (await core.storage(options).delete(key, preconditions, async () => {})).object;
  } catch (error) {
    if (!isKeyNotFound(error)) throw interpret(core, context, { error, name, operation: 'delete' });
  }
  await core.hooks.afterDelete?.(deleted, options);
  return { stored: unstoredObject(updated), created: false };
}
