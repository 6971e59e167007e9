import type { AnyResourceDefinition } from './resource-definition.js';
import type { RestStorage } from './rest.js';

/** A resource with what stands behind it. `subresources` by name: status, scale, binding … */
export interface InstalledResource {
  readonly definition: AnyResourceDefinition;
  readonly storage: RestStorage;
  readonly subresources: Readonly<Record<string, RestStorage>>;
}

/**
 * One API group to install. Every version that a definition has and `versions` names is served.
 * Upstream: k8s.io/apiserver/pkg/server.APIGroupInfo
 */
export interface APIGroupInfo {
  /** "" for the core group, which is served below /api. */
  readonly group: string;
  /** Served versions in order of preference. */
  readonly versions: readonly string[];
  readonly resources: readonly InstalledResource[];
}
