import type { EndpointReconciler } from './endpoint-reconciler.js';
import type { EndpointsAdapter } from './endpoints-adapter.js';
import { SerialQueue } from './serial-queue.js';

/**
 * Every server adds itself, and removes others if there are more than the configured count.
 * Upstream: pkg/controlplane/reconcilers/instancecount.go
 */
export function masterCountReconciler(
  adapter: Pick<EndpointsAdapter, 'addresses' | 'sync'>,
  count: number,
): EndpointReconciler {
  const queue = new SerialQueue();
  let stopped = false;
  return {
    reconcile: (address, ports) =>
      queue.run(async () => {
        if (stopped) return;
        const addresses = await adapter.addresses();
        addresses.add(address);
        await adapter.sync(keptOf(addresses, address, count), ports, false);
      }),
    remove: (address, ports) =>
      queue.run(async () => {
        const addresses = await adapter.addresses();
        if (!addresses.delete(address)) return false;
        await adapter.sync(addresses, ports, false);
        return true;
      }),
    stop: () => {
      stopped = true;
    },
  };
}

/** Drops the excess addresses, starting after `own` in sorted order. */
function keptOf(addresses: ReadonlySet<string>, own: string, count: number): readonly string[] {
  const sorted = [...addresses].sort();
  const surplus = Math.min(sorted.length - Math.max(count, 1), sorted.length - 1);
  if (surplus <= 0) return sorted;
  const at = sorted.indexOf(own);
  const removed = new Set(Array.from({ length: surplus }, (_, i) => sorted[(at + 1 + i) % sorted.length]));
  return sorted.filter((address) => !removed.has(address));
}
