import {
  isStatusError,
  type KubeObject,
  newInternalError,
  newResourceExpired,
  type StatusError,
} from '@apiserver/apimachinery';
import { interpretError } from '../interpret-error.js';
import { isKeyValueError } from '../key-value-error.js';
import type { EntryKind } from './stored-entry.js';

/** What the client of a watch is told when it breaks. `from`: the last version the client has. */
export function watchFailure<T extends KubeObject>(error: unknown, kind: EntryKind<T>, from: number): StatusError {
  if (isKeyValueError(error) && error.keyValueErrorCode === 'Compacted') {
    return newResourceExpired(`too old resource version: ${from} (${error.revision})`);
  }
  const told = interpretError(error, kind.groupResource, '', 'watch');
  return isStatusError(told) ? told : newInternalError(told);
}

/** True for the end that the store's orderly close brings: the watch just ends, and the client comes back. */
export function isOrderlyEnd(error: unknown): boolean {
  return isKeyValueError(error) && error.keyValueErrorCode === 'Closed';
}
