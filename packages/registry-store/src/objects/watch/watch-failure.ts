import type { KubeObject } from '@apiserver/apimachinery';
import { isStatusError, newInternalError, newResourceExpired, type StatusError } from '@apiserver/apimachinery/errors';
import { interpretError } from '../../interpret-error.js';
import { isKeyValueError } from '../../key-value-error.js';
import type { EntryKind } from '../stored-entry.js';

/** The error that a client receives when its watch breaks. `from` is the client's last version. */
export type WatchFailure = typeof watchFailure;

/** The error of the watch cache, which may have read the store. Upstream: watch_cache.go getAllEventsSinceLocked */
export function watchFailure<T extends KubeObject>(error: unknown, kind: EntryKind<T>, from: number): StatusError {
  if (isKeyValueError(error) && error.keyValueErrorCode === 'Compacted') {
    return newResourceExpired(`too old resource version: ${from} (${error.revision})`);
  }
  const failure = interpretError(error, kind.groupResource, '', 'watch');
  return isStatusError(failure) ? failure : newInternalError(failure);
}

/** The error without a cache in front of the store. Upstream: etcd3/errors.go interpretWatchError */
export function storeWatchFailure<T extends KubeObject>(error: unknown, kind: EntryKind<T>, from: number): StatusError {
  if (isKeyValueError(error) && error.keyValueErrorCode === 'Compacted') {
    return newResourceExpired('The resourceVersion for the provided watch is too old.');
  }
  return watchFailure(error, kind, from);
}

/** True for the end that the store's orderly close causes: the watch simply ends, and the client reconnects. */
export function isOrderlyEnd(error: unknown): boolean {
  return isKeyValueError(error) && error.keyValueErrorCode === 'Closed';
}
