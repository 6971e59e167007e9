import type { GroupVersionResource } from '@apiserver/apimachinery';

/** A resource in its group's preferred version. */
export interface DiscoveredResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
}

/** The resources of the whole server: built-in, custom and aggregated ones. */
export interface DiscoveredResources {
  readonly resources: readonly DiscoveredResource[];
  /** By `apiVersion/kind`, of all versions: the resource of the kind in its preferred version. */
  readonly kinds: ReadonlyMap<string, DiscoveredResource>;
  /** Group versions whose resources are unknown, such as `metrics.k8s.io/v1beta1`. */
  readonly unknown: readonly string[];
}

/** Reads what the server serves now. Rejects if nothing can be read. */
export type ResourceDiscovery = () => Promise<DiscoveredResources>;
