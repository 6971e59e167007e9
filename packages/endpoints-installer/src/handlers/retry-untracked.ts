import { isStatusError } from '@apiserver/apimachinery/errors';

/**
 * Writes an object. If storage rejects it for its size, it is written again without managed fields, which may be a
 * large part of it and are expendable.
 * Upstream: isTooLargeError and its callers in k8s.io/apiserver/pkg/endpoints/handlers (create.go, update.go, patch.go)
 */
export function retryUntracked<T>(write: (tracked: boolean) => Promise<T>): Promise<T> {
  return write(true).catch((error: unknown) => {
    if (!isTooLarge(error)) throw error;
    return write(false);
  });
}

/** True for the size limit of storage, not for that of request bodies. */
function isTooLarge(error: unknown): boolean {
  if (!isStatusError(error) || !(error.cause instanceof Error)) return false;
  return 'storageErrorCode' in error.cause && error.cause.storageErrorCode === 'TooLarge';
}
