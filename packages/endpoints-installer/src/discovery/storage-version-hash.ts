import { createHash } from 'node:crypto';
import type { GroupVersionKind } from '@apiserver/apimachinery';

/**
 * The hash by which clients detect that the storage version has changed.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go
 */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
