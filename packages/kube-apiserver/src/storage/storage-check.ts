import type { Clock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { HealthCheck } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';

/** Dependencies of the check. */
export interface StorageCheckOptions {
  readonly store: KeyValueStore;
  /** The key to read. It need not exist. */
  readonly key: string;
  readonly name: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  /** See HealthCheck. */
  readonly group?: string | undefined;
  /** If true, the check fails permanently once another etcd has replaced the one of the start. Default: false. */
  readonly ofReadiness?: boolean;
}

/**
 * Reads a key of the store. The names are those of upstream's checks of etcd, because monitoring uses them;
 * `etcd-readiness` is only for /readyz. Concurrent checks share one read: a store that hangs is not asked repeatedly.
 * After a replacement of its etcd a server serves the new content, but the objects of its start are missing.
 * Upstream: k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go (newETCD3Check)
 */
export function storageCheck(options: StorageCheckOptions): HealthCheck {
  const { store, key, name, timeout, clock, group, ofReadiness = false } = options;
  let reading: Promise<unknown> | undefined;
  return {
    name,
    ...(group === undefined ? {} : { group }),
    check: async () => {
      reading ??= store.get(key).finally(() => {
        reading = undefined;
      });
      const { promise: late, reject } = Promise.withResolvers<never>();
      const cancel = clock.schedule(() => reject(new Error('context deadline exceeded')), timeout);
      try {
        await Promise.race([reading, late]);
      } catch (error) {
        const reason = messageOf(error);
        throw new Error(`error getting data from etcd: ${reason}`, { cause: error });
      } finally {
        cancel();
      }
      const { replacement } = store;
      if (ofReadiness && replacement !== undefined) {
        throw new Error(`etcd is not the one that this server began with, restart the server: ${replacement}`);
      }
    },
  };
}
