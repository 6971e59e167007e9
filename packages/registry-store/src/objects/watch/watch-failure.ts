import type { KubeObject } from '@apiserver/apimachinery';
import { isStatusError, newInternalError, newResourceExpired, type StatusError } from '@apiserver/apimachinery/errors';
import { interpretError } from '../../interpret-error.js';
import { isKeyValueError } from '../../key-value-error.js';
import type { EntryKind } from '../stored-entry.js';

/** Says what a client is told when its watch breaks. `from`: the last version the client has. */
export type WatchFailure = typeof watchFailure;

/** As the watch cache says it, which may have asked the store. Upstream: watch_cache.go getAllEventsSinceLocked */
export function watchFailure<T extends KubeObject>(error: unknown, kind: EntryKind<T>, from: number): StatusError {
  if (isKeyValueError(error) && error.keyValueErrorCode === 'Compacted') {
    return newResourceExpired(`too old resource version: ${from} (${error.revision})`);
  }
  const told = interpretError(error, kind.groupResource, '', 'watch');
  return isStatusError(told) ? told : newInternalError(told);
}

/** As it is said where no cache stands before the store. Upstream: etcd3/errors.go interpretWatchError */
export function storeWatchFailure<T extends KubeObject>(error: unknown, kind: EntryKind<T>, from: number): StatusError {
  if (isKeyValueError(error) && error.keyValueErrorCode === 'Compacted') {
    return newResourceExpired('The resourceVersion for the provided watch is too old.');
  }
  return watchFailure(error, kind, from);
}

/** True for the end that the store's orderly close brings: the watch just ends, and the client comes back. */
export function isOrderlyEnd(error: unknown): boolean {
  return isKeyValueError(error) && error.keyValueErrorCode === 'Closed';
}
