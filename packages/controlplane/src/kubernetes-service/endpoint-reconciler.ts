import type { EndpointPort } from '@apiserver/api/core/v1';

/**
 * Keeps the endpoints of the `kubernetes` service to the servers that live. Throws what the API or the storage throws.
 * Upstream: pkg/controlplane/reconcilers.EndpointReconciler
 */
export interface EndpointReconciler {
  /** Puts this server among the endpoints; again and again while it lives. Nothing more once it is stopped. */
  reconcile(address: string, ports: readonly EndpointPort[]): Promise<void>;
  /** Takes this server off. Answers false if there was nothing of it. */
  remove(address: string, ports: readonly EndpointPort[]): Promise<boolean>;
  /** From now on `reconcile` does nothing, so that `remove` has the last word. */
  stop(): void;
}

/** Somebody else takes care. Upstream: NewNoneEndpointReconciler */
export function noneReconciler(): EndpointReconciler {
  return { reconcile: async () => {}, remove: async () => false, stop: () => {} };
}
