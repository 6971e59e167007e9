import { isStatusError } from '@apiserver/apimachinery/errors';

/**
 * Writes an object; where storage refuses it for its size, writes it once more without managed fields, which may be a
 * large part of it and which nothing depends on.
 * Upstream: isTooLargeError and its callers in k8s.io/apiserver/pkg/endpoints/handlers (create.go, update.go, patch.go)
 */
export function retryUntracked<T>(write: (tracked: boolean) => Promise<T>): Promise<T> {
  return write(true).catch((error: unknown) => {
    if (!isTooLarge(error)) throw error;
    return write(false);
  });
}

/** The size of a request body is another matter: this is what storage says. */
function isTooLarge(error: unknown): boolean {
  if (!isStatusError(error) || !(error.cause instanceof Error)) return false;
  return 'storageErrorCode' in error.cause && error.cause.storageErrorCode === 'TooLarge';
}
