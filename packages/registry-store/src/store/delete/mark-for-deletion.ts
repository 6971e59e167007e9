import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { newNotFound } from '@apiserver/apimachinery/errors';
import { increment, timeMilliseconds } from '@apiserver/apimachinery/values';
import { loadedObject, type StoredObject, type VerbContext } from '@apiserver/apiserver-contracts';
import { groupResourceOf, interpret, type StoreCore, timestamp } from '../store-core.js';
import { beforeDelete } from './before-delete.js';
import type { DeleteRequest } from './delete-request.js';
import { deletionFinalizers } from './deletion-finalizers.js';

/**
 * The result of marking an object.
 * - held: finalizers or a grace period keep it; `stored` has the mark.
 * - deleteNow: nothing keeps it; `stored` has the mark of a graceful deletion of 0 seconds, if there was one.
 * - alreadyDeleting: another graceful deletion is in progress.
 */
export type Mark<T extends KubeObject> =
  | { readonly type: 'held'; readonly stored: StoredObject<T> }
  | { readonly type: 'deleteNow'; readonly stored: StoredObject<T> | undefined }
  | { readonly type: 'alreadyDeleting' };

/** Aborts the update if the newest object needs no mark. */
class NothingToMark extends Error {
  readonly mark: { readonly type: 'deleteNow'; readonly stored: undefined } | { readonly type: 'alreadyDeleting' };

  constructor(mark: NothingToMark['mark']) {
    super(mark.type);
    this.mark = mark;
  }
}

/** The reasons that keep an object, as found by the current update. */
interface Held {
  byFinalizers: boolean;
  graceSeconds: number | bigint;
}

/**
 * Records on the object that it is being deleted, with the finalizers that the options request.
 * Upstream: Store.updateForGracefulDeletionAndFinalizers
 */
export async function markForDeletion<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteRequest<T>,
  key: string,
): Promise<Mark<T>> {
  const { name, options } = request;
  const held: Held = { byFinalizers: false, graceSeconds: 0 };
  try {
    const { stored } = await core
      .storage(options)
      .guaranteedUpdate(key, options.preconditions ?? {}, async (current) => {
        if (current === undefined) throw newNotFound(groupResourceOf(core, context), name);
        const old = await loadedObject(current);
        await request.validate(old);
        return { object: marked(core, context, old, { request, held }) };
      });
    if (held.byFinalizers || held.graceSeconds > 0) return { type: 'held', stored };
    return { type: 'deleteNow', stored };
  } catch (error) {
    if (error instanceof NothingToMark) return error.mark;
    throw interpret(core, context, { error, name, operation: 'update' });
  }
}

/** The object with its mark; `old` is frozen and unchanged. Throws NothingToMark. */
function marked<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  old: T,
  { request, held }: { readonly request: DeleteRequest<T>; readonly held: Held },
): T {
  const grace = beforeDelete(core, context, old, request.options);
  if (grace.type === 'pending') throw new NothingToMark({ type: 'alreadyDeleting' });
  const metadata: ObjectMeta = grace.type === 'graceful' ? grace.metadata : { ...old.metadata };
  const finalizers = deletionFinalizers(core, old, request.options);
  if (finalizers !== undefined) setFinalizers(metadata, finalizers);
  held.byFinalizers = (metadata.finalizers ?? []).length > 0;
  held.graceSeconds = grace.type === 'graceful' ? grace.periodSeconds : 0;
  if (grace.type === 'none') {
    if (!held.byFinalizers) throw new NothingToMark({ type: 'deleteNow', stored: undefined });
    markAsDeleting(core, metadata);
  }
  delete metadata.resourceVersion;
  return { ...old, metadata };
}

function setFinalizers(metadata: ObjectMeta, finalizers: string[]): void {
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = finalizers;
}

/** Marks an object without grace: only finalizers keep it from now on. Upstream: markAsDeleting */
function markAsDeleting<T extends KubeObject>(core: StoreCore<T>, metadata: ObjectMeta): void {
  const { deletionTimestamp, generation } = metadata;
  if (!deletionTimestamp && generation) metadata.generation = increment(generation);
  if (!deletionTimestamp || timeMilliseconds(deletionTimestamp) > core.now()) {
    metadata.deletionTimestamp = timestamp(core);
  }
  metadata.deletionGracePeriodSeconds = 0;
}
