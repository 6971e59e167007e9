import type { EndpointReconciler } from './endpoint-reconciler.js';
import type { EndpointsAdapter } from './endpoints-adapter.js';
import { Turns } from './turns.js';

/**
 * Every server adds itself, and takes others off when there are more than there should be.
 * Upstream: pkg/controlplane/reconcilers/instancecount.go
 */
export function masterCountReconciler(
  adapter: Pick<EndpointsAdapter, 'addresses' | 'sync'>,
  count: number,
): EndpointReconciler {
  const turns = new Turns();
  let stopped = false;
  return {
    reconcile: (address, ports) =>
      turns.take(async () => {
        if (stopped) return;
        const addresses = await adapter.addresses();
        addresses.add(address);
        await adapter.sync(keptOf(addresses, address, count), ports, false);
      }),
    remove: (address, ports) =>
      turns.take(async () => {
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

/** Without those that follow `own` in the order of addresses, as many as there are too many. */
function keptOf(addresses: ReadonlySet<string>, own: string, count: number): readonly string[] {
  const sorted = [...addresses].sort();
  const surplus = Math.min(sorted.length - Math.max(count, 1), sorted.length - 1);
  if (surplus <= 0) return sorted;
  const at = sorted.indexOf(own);
  const removed = new Set(Array.from({ length: surplus }, (_, i) => sorted[(at + 1 + i) % sorted.length]));
  return sorted.filter((address) => !removed.has(address));
}
