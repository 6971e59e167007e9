import type { Service } from '@apiserver/api/core/v1';
import type { RandomInt } from '@apiserver/apimachinery';
import type { IPFamily, ServiceAllocators } from '@apiserver/builtin-resources';
import { ServiceNodePortAllocator } from '../node-port-allocator/node-port-allocator.js';
import type { PortRange } from '../node-port-allocator/port-range.js';
import type { IPRange } from '../service-ip-allocator/ip-range.js';
import { ServiceIPAllocator } from '../service-ip-allocator/service-ip-allocator.js';
import { addressesOf, portsOf, referenceTo } from './held-by-service.js';

/** What the allocators of a server are made of. */
export interface ServiceAllocatorsOptions {
  /** One, or one of each family. Upstream flag: --service-cluster-ip-range, default 10.0.0.0/24 */
  readonly ranges: readonly [IPRange, ...IPRange[]];
  /** Upstream flag: --service-node-port-range, default 30000-32767 */
  readonly nodePorts: PortRange;
  readonly random: RandomInt;
  /** Every stored service, of all namespaces. Asked once, before the first allocation. */
  listServices(signal: AbortSignal): Promise<readonly Service[]>;
}

/** The allocators of a server, as its repair loop knows them. */
export interface ServerServiceAllocators extends ServiceAllocators {
  readonly clusterIPs: ReadonlyMap<IPFamily, ServiceIPAllocator>;
  readonly nodePorts: ServiceNodePortAllocator;
}

/** Makes the allocators. They take nothing and know nothing before they are first asked whether they are `ready`. */
export function createServiceAllocators(options: ServiceAllocatorsOptions): ServerServiceAllocators {
  const { ranges, nodePorts, random, listServices } = options;
  const [primary] = ranges;
  let seeding: Promise<void> | undefined;
  const allocators: ServerServiceAllocators = {
    primaryFamily: primary.family,
    clusterIPs: new Map(ranges.map((range) => [range.family, new ServiceIPAllocator(range, random)])),
    nodePorts: new ServiceNodePortAllocator(nodePorts, random),
    async ready(signal) {
      seeding ??= listServices(signal).then((services) => seed(allocators, services));
      try {
        await seeding;
      } catch (error) {
        seeding = undefined;
        throw error;
      }
    },
  };
  return allocators;
}

/** What two services hold, one of them has; the repair loop tells. */
function seed(allocators: ServerServiceAllocators, services: readonly Service[]): void {
  for (const service of services) {
    for (const { family, address } of addressesOf(service)) {
      allocators.clusterIPs.get(family)?.hold(address, referenceTo(service));
    }
    for (const port of portsOf(service)) allocators.nodePorts.hold(port);
  }
}
