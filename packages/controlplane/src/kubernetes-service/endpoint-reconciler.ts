import type { EndpointPort } from '@apiserver/api/core/v1';

/**
 * Maintains the endpoints of the `kubernetes` service: the live servers. Throws errors of the API or the storage.
 * Upstream: pkg/controlplane/reconcilers.EndpointReconciler
 */
export interface EndpointReconciler {
  /** Adds this server to the endpoints; call it periodically while the server lives. A no-op after `stop`. */
  reconcile(address: string, ports: readonly EndpointPort[]): Promise<void>;
  /** Removes this server. Returns false if it was absent. */
  remove(address: string, ports: readonly EndpointPort[]): Promise<boolean>;
  /** Turns `reconcile` into a no-op, so that it cannot revert `remove`. */
  stop(): void;
}

/** Leaves the endpoints to another controller. Upstream: NewNoneEndpointReconciler */
export function noneReconciler(): EndpointReconciler {
  return { reconcile: async () => {}, remove: async () => false, stop: () => {} };
}
