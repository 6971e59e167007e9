import type { KubeObject } from '@apiserver/apimachinery';
import type { StoragePreconditions, StoredObject } from '@apiserver/apiserver-contracts';
import { newInvalidPreconditionsError } from '../storage-error.js';

/**
 * Throws InvalidPreconditions if the stored object is not the required one; a missing object has neither uid nor
 * version. `key` is the full key for the message.
 * Upstream: k8s.io/apiserver/pkg/storage.Preconditions.Check
 */
export function checkPreconditions<T extends KubeObject>(
  preconditions: StoragePreconditions,
  key: string,
  stored: Pick<StoredObject<T>, 'object' | 'resourceVersion'> | undefined,
): void {
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined) requireEqual(key, 'UID', uid, stored?.object.metadata.uid ?? '');
  if (resourceVersion !== undefined) {
    requireEqual(key, 'ResourceVersion', resourceVersion, stored?.resourceVersion ?? '');
  }
}

function requireEqual(key: string, what: string, wanted: string, actual: string): void {
  if (wanted === actual) return;
  throw newInvalidPreconditionsError(
    key,
    `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`,
  );
}
