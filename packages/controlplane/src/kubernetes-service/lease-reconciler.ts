import type { EndpointPort } from '@apiserver/api/core/v1';
import type { EndpointReconciler } from './endpoint-reconciler.js';
import type { EndpointsAdapter } from './endpoints-adapter.js';
import type { MasterLeases } from './master-leases.js';
import { SerialQueue } from './serial-queue.js';

/** Not a bug: a server killed before its first lease leaves such a store. */
class MissingAddressesError extends Error {
  override readonly name = 'MissingAddressesError';

  constructor() {
    super(
      'no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes service',
    );
  }
}

/**
 * Every server renews a lease, and servers with a lease are the endpoints. A dead server's lease expires.
 * Upstream: pkg/controlplane/reconcilers/lease.go
 */
export function leaseReconciler(adapter: Pick<EndpointsAdapter, 'sync'>, leases: MasterLeases): EndpointReconciler {
  const queue = new SerialQueue();
  let stopped = false;
  const sync = async (ports: readonly EndpointPort[], withPorts: boolean) => {
    const addresses = await leases.list();
    // This server has just renewed its lease, so an empty list is an inconsistent read. Only the last server to stop
    // leaves none.
    if (addresses.length === 0 && !stopped) {
      throw new MissingAddressesError();
    }
    await adapter.sync(addresses, ports, withPorts);
  };
  return {
    reconcile: (address, ports) =>
      queue.run(async () => {
        if (stopped) return;
        // First, so that later failures do not affect it: other servers depend on this lease.
        await leases.update(address);
        await sync(ports, false);
      }),
    remove: (address, ports) =>
      queue.run(async () => {
        if (!(await leases.remove(address))) return false;
        await sync(ports, true);
        return true;
      }),
    stop: () => {
      stopped = true;
    },
  };
}
