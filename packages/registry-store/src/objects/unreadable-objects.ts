import { CAUSE_UNEXPECTED_SERVER_RESPONSE, formatGroupResource, type GroupResource } from '@apiserver/apimachinery';
import { StatusError } from '@apiserver/apimachinery/errors';
import { isStorageError, isUnreadable, newReportedCorruptObjectError, type StorageError } from '../storage-error.js';

const MAX_NAMED = 100;
const TOO_MANY = 'too many errors, the list is truncated';

/**
 * The error of a failed read if unreadable objects can be deleted. `key` is the caller's form of it; `revision` is that
 * of the record. Other errors are returned unchanged.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go
 */
export function asCorruptObject(error: unknown, key: string, revision: number): unknown {
  if (!isUnreadable(error)) return error;
  const { storageErrorCode, details } = innermost(error as StorageError);
  const what =
    storageErrorCode === 'Transform'
      ? 'data from the storage is not transformable revision=0'
      : `object not decodable revision=${revision}`;
  return newReportedCorruptObjectError(key, `${what}: ${details.message}`, error);
}

/** The error before a list added the key. */
function innermost(error: StorageError): StorageError {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (isStorageError(cause)) return innermost(cause);
  }
  return error;
}

/**
 * Collects the unreadable objects of a list, so that all of them are named, not only the first. Upstream:
 * corruptObjErrAggregator
 */
export class UnreadableObjects {
  readonly #resource: GroupResource;
  readonly #found: StorageError[] = [];

  constructor(resource: GroupResource) {
    this.#resource = resource;
  }

  /** Throws other errors, and when there are too many. */
  add(error: unknown, { key, modRevision }: { readonly key: string; readonly modRevision: number }): void {
    if (this.#found.length === MAX_NAMED) throw this.#toStatusError(true);
    const failure = asCorruptObject(error, key, modRevision);
    if (failure === error && !isUnreadable(error)) throw this.#found.length > 0 ? this.#toStatusError(false) : error;
    this.#found.push(failure as StorageError);
  }

  /** Throws a StatusError if there are any. */
  check(): void {
    if (this.#found.length > 0) throw this.#toStatusError(false);
  }

  #toStatusError(isTruncated: boolean): StatusError {
    const { group, resource } = this.#resource;
    const causes = this.#found.map((error) => ({
      reason: CAUSE_UNEXPECTED_SERVER_RESPONSE,
      field: error.key,
      message: error.message,
    }));
    const more = isTruncated ? [{ reason: 'FieldValueTooMany', message: TOO_MANY }] : [];
    return new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `failed to read one or more ${formatGroupResource(this.#resource)} from the storage`,
      reason: 'StoreReadError',
      details: { name: 'list', ...(group !== '' && { group }), kind: resource, causes: [...causes, ...more] },
      code: 500,
    });
  }
}
