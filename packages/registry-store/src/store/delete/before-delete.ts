import type { DeleteOptions, KubeObject, ObjectMeta, Preconditions } from '@apiserver/apimachinery';
import { newConflict, newInvalid } from '@apiserver/apimachinery/errors';
import { validateDeleteOptions } from '@apiserver/apimachinery/validation';
import { formatTime, increment, secondsInMilliseconds, timeMilliseconds } from '@apiserver/apimachinery/values';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import type { StoreCore } from '../store-core.js';

/**
 * The grace of a deletion.
 * - none: deleted at once, as far as grace is concerned.
 * - graceful: `metadata` is to be recorded; another client ends the deletion, or this delete does if the period is 0.
 * - pending: a graceful deletion is in progress and this one does not shorten it.
 */
export type Grace =
  | { readonly type: 'none' | 'pending' }
  | { readonly type: 'graceful'; readonly metadata: ObjectMeta; readonly periodSeconds: number | bigint };

const NOT_GRACEFUL: Grace = { type: 'none' };
const PENDING: Grace = { type: 'pending' };

/**
 * Validates the options, checks the preconditions early, and asks the strategy for a grace period.
 * Throws 422 for bad options, 409 for a precondition that does not hold.
 * Upstream: BeforeDelete of k8s.io/apiserver/pkg/registry/rest/delete.go
 */
export function beforeDelete<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  object: T,
  options: DeleteOptions,
): Grace {
  const faults = validateDeleteOptions(options);
  if (faults.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults);
  checkPreconditions(core, object.metadata, options.preconditions);
  const { strategy } = core;
  if (strategy.checkGracefulDelete === undefined) return NOT_GRACEFUL;
  const requested = atLeastOneIfNegative(options.gracePeriodSeconds);
  if (object.metadata.deletionTimestamp) return shortened(core, object.metadata, requested);
  const period = strategy.checkGracefulDelete(context, object, requested);
  return period === undefined ? NOT_GRACEFUL : started(core, object.metadata, period);
}

/** Errors name the kind here, as upstream, where all others name the resource. */
function checkPreconditions<T extends KubeObject>(
  core: StoreCore<T>,
  metadata: ObjectMeta,
  preconditions: Preconditions | undefined,
): void {
  if (preconditions === undefined) return;
  const { uid, resourceVersion } = preconditions;
  const named = { group: core.groupKind.group, resource: core.groupKind.kind };
  const name = metadata.name ?? '';
  if (uid !== undefined && uid !== (metadata.uid ?? '')) {
    const cause = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`;
    throw newConflict(named, name, cause);
  }
  if (resourceVersion !== undefined && resourceVersion !== (metadata.resourceVersion ?? '')) {
    const cause = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`;
    throw newConflict(named, name, cause);
  }
}

function atLeastOneIfNegative(seconds: number | bigint | null | undefined): number | bigint | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  return seconds < 0 ? 1 : seconds;
}

/** The first graceful deletion. It changes what controllers do with the object, so it counts as a new generation. */
function started<T extends KubeObject>(
  core: StoreCore<T>,
  metadata: ObjectMeta,
  periodSeconds: number | bigint,
): Grace {
  const deletion = {
    deletionTimestamp: formatTime(core.now() + secondsInMilliseconds(periodSeconds)),
    deletionGracePeriodSeconds: periodSeconds,
    ...(metadata.generation ? { generation: increment(metadata.generation) } : undefined),
  };
  return { type: 'graceful', metadata: { ...metadata, ...deletion }, periodSeconds };
}

/** A deletion in progress may only be shortened, and never into the past. */
function shortened<T extends KubeObject>(
  core: StoreCore<T>,
  metadata: ObjectMeta,
  requested: number | bigint | undefined,
): Grace {
  const running = atLeastOneIfNegative(metadata.deletionGracePeriodSeconds) ?? 0;
  // Recorded as over, but the object still exists: the following delete failed. Finish it.
  if (running === 0) return NOT_GRACEFUL;
  if (requested === undefined || requested >= running) return PENDING;
  const now = core.now();
  const begun = timeMilliseconds(metadata.deletionTimestamp ?? '') + secondsInMilliseconds(-running);
  const ends = begun + secondsInMilliseconds(requested);
  // A period that has passed becomes the shortest graceful one: the client that holds the object still ends it.
  const period = ends < now && Number(requested) !== 0 ? 1 : requested;
  const deletion = {
    deletionTimestamp: formatTime(Math.max(ends, now)),
    deletionGracePeriodSeconds: period,
  };
  return { type: 'graceful', metadata: { ...metadata, ...deletion }, periodSeconds: requested };
}
