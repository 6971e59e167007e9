import type { Clock } from '@apiserver/apimachinery';
import type { HealthCheck } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';

export interface StorageCheckOptions {
  readonly store: KeyValueStore;
  /** Read, whether it exists or not. */
  readonly key: string;
  readonly name: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  /** See HealthCheck. */
  readonly group?: string | undefined;
}

/**
 * Reads a key of the store. Named as upstream's checks of etcd, because monitoring asks for them by name;
 * `etcd-readiness` is for /readyz alone. Who asks while a read is under way waits for that one: a store that hangs is not
 * asked again and again.
 * Upstream: k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go (newETCD3Check)
 */
export function storageCheck({ store, key, name, timeout, clock, group }: StorageCheckOptions): HealthCheck {
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
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`error getting data from etcd: ${reason}`, { cause: error });
      } finally {
        cancel();
      }
    },
  };
}
