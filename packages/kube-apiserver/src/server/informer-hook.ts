import type { Clock } from '@apiserver/apimachinery/clock';
import type { HealthCheck, PostStartHook } from '@apiserver/generic-server';
import type { StorageProvider } from '@apiserver/registry-store';
import { untilReady } from '../storage/storage-readiness.js';

/** A hook that fills the caches that the server itself reads, and a check of /readyz that they are filled. */
export interface InformerHook {
  readonly start: PostStartHook;
  readonly synced: HealthCheck;
}

/**
 * Upstream's shared informers are watches of the server on itself. Their readers use the watch caches here. `others`
 * resolves when other readers have what they need.
 * Upstream: generic-apiserver-start-informers and healthz.NewInformerSyncHealthz in k8s.io/apiserver/pkg/server
 */
export function informerHook(
  provider: Pick<StorageProvider, 'ready'>,
  clock: Clock,
  others?: Promise<void>,
): InformerHook {
  let isSynced = false;
  return {
    start: async ({ signal }) => {
      void Promise.all([untilReady(provider, clock, signal), others]).then(() => {
        isSynced = !signal.aborted;
      });
    },
    synced: {
      name: 'informer-sync',
      check: () => {
        if (!isSynced) throw new Error('the caches are not filled yet');
      },
    },
  };
}
