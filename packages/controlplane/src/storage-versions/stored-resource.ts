import type { GroupResource } from '@apiserver/apimachinery';

/**
 * A stored resource, as one server stores and serves it.
 * Upstream: ResourceInfo in k8s.io/apiserver/pkg/storageversion/manager.go
 */
export interface StoredResource extends GroupResource {
  /** The group and version of stored objects: `apps/v1`, `v1`. */
  readonly encodingVersion: string;
  readonly servedVersions: readonly string[];
  /** Resources of other groups that have the same stored objects. */
  readonly equivalents: readonly GroupResource[];
  /** All that can be decoded, in order of preference, also those that are not served. */
  decodableVersions(): Promise<readonly string[]>;
}
