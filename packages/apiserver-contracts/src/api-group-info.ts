import type { AnyResourceDefinition } from './resource-definition.js';
import type { RestStorage } from './rest.js';

/** A resource with its storage. `subresources` by name: status, scale, binding … */
export interface InstalledResource {
  readonly definition: AnyResourceDefinition;
  readonly storage: RestStorage;
  readonly subresources: Readonly<Record<string, RestStorage>>;
}

/**
 * One API group to install. Serves every version that both a definition and `versions` name.
 * Upstream: k8s.io/apiserver/pkg/server.APIGroupInfo
 */
export interface APIGroupInfo {
  /** "" for the core group, which is served under /api. */
  readonly group: string;
  /** Served versions in order of preference. */
  readonly versions: readonly string[];
  readonly resources: readonly InstalledResource[];
}
