import type { EndpointPort } from '@apiserver/api/core/v1';
import type { EndpointReconciler } from './endpoint-reconciler.js';
import type { EndpointsAdapter } from './endpoints-adapter.js';
import type { MasterLeases } from './master-leases.js';
import { Turns } from './turns.js';

/** Not a fault of this program: a server that was killed before it had a lease leaves a store like that. */
class MissingAddressesError extends Error {
  override readonly name = 'MissingAddressesError';

  constructor() {
    super(
      'no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes service',
    );
  }
}

/**
 * Every server renews a lease; those that have one are the endpoints. A server that dies is gone when its lease runs out.
 * Upstream: pkg/controlplane/reconcilers/lease.go
 */
export function leaseReconciler(adapter: Pick<EndpointsAdapter, 'sync'>, leases: MasterLeases): EndpointReconciler {
  const turns = new Turns();
  let stopped = false;
  const sync = async (ports: readonly EndpointPort[], withPorts: boolean) => {
    const addresses = await leases.list();
    // Whoever has just renewed its lease and finds none does not see right; the last one to go leaves none.
    if (addresses.length === 0 && !stopped) {
      throw new MissingAddressesError();
    }
    await adapter.sync(addresses, ports, withPorts);
  };
  return {
    reconcile: (address, ports) =>
      turns.take(async () => {
        if (stopped) return;
        // First of all, whatever fails below: other servers go by it.
        await leases.update(address);
        await sync(ports, false);
      }),
    remove: (address, ports) =>
      turns.take(async () => {
        if (!(await leases.remove(address))) return false;
        await sync(ports, true);
        return true;
      }),
    stop: () => {
      stopped = true;
    },
  };
}
