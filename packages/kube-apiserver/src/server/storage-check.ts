import type { HealthCheck } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';

/**
 * Asks the store for its revision. Named as upstream's checks of etcd, because monitoring asks for them by name;
 * `etcd-readiness` is for /readyz alone.
 * Upstream: k8s.io/apiserver/pkg/server/options/etcd.go (addEtcdHealthEndpoint)
 */
export function storageCheck(store: KeyValueStore, name: 'etcd' | 'etcd-readiness'): HealthCheck {
  return {
    name,
    check: async () => {
      await store.currentRevision();
    },
  };
}
