import type { RangeAllocation, Service } from '@apiserver/api/core/v1';
import type { IPAddress, ServiceCIDR } from '@apiserver/api/networking/v1';
import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer, Logger, LoopbackClient, Storage } from '@apiserver/apiserver-contracts';
import type { IPFamily, ServiceAllocators } from '@apiserver/builtin-resources';
import { createInformer } from '@apiserver/registry-store';
import { ServiceNodePortAllocator } from '../node-port-allocator/node-port-allocator.js';
import type { NodePortMetrics } from '../node-port-allocator/node-port-metrics.js';
import type { PortRange } from '../node-port-allocator/port-range.js';
import { type PortRangeRegistry, storedPortRange } from '../node-port-allocator/stored-port-range.js';
import type { ClusterIPMetrics } from '../service-ip-allocator/cluster-ip-metrics.js';
import { IP_ADDRESSES } from '../service-ip-allocator/ip-address-object.js';
import { type IPAddresses, storedIPAddresses } from '../service-ip-allocator/ip-addresses.js';
import type { IPRange } from '../service-ip-allocator/ip-range.js';
import { ServiceIPAllocator } from '../service-ip-allocator/service-ip-allocator.js';
import { SERVICE_CIDRS, ServiceNetworks } from '../service-ip-allocator/service-networks.js';

/** The resource of Services, for clients. */
export const SERVICES = { group: '', version: 'v1', resource: 'services' };

/** Dependencies of a server's allocators. */
export interface ServiceAllocatorsOptions {
  /** One range, or one of each family. Upstream flag: --service-cluster-ip-range, default 10.0.0.0/24 */
  readonly ranges: readonly [IPRange, ...IPRange[]];
  /** Upstream flag: --service-node-port-range, default 30000-32767 */
  readonly nodePorts: PortRange;
  /** The storage of `portRangeStorage`. */
  readonly portStorage: Storage<RangeAllocation>;
  readonly client: LoopbackClient;
  /** Creates metrics that read the held addresses at scrape time. */
  clusterIPMetrics(addresses: Pick<IPAddresses, 'held'>): ClusterIPMetrics;
  readonly nodePortMetrics: NodePortMetrics;
  readonly random: RandomInt;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The allocators of a server, with the informers and registry that the repair loops use. */
export interface ServerServiceAllocators extends ServiceAllocators, AsyncDisposable {
  readonly clusterIPs: ReadonlyMap<IPFamily, ServiceIPAllocator>;
  readonly nodePorts: ServiceNodePortAllocator;
  readonly ports: PortRangeRegistry;
  readonly networks: ServiceNetworks;
  readonly addresses: IPAddresses;
  readonly informers: {
    readonly services: Informer<Service>;
    readonly ipAddresses: Informer<IPAddress>;
    readonly serviceCIDRs: Informer<ServiceCIDR>;
  };
}

/** Creates the allocators. They read nothing before the first allocation. Disposal stops their informers. */
export function createServiceAllocators(options: ServiceAllocatorsOptions): ServerServiceAllocators {
  const { ranges, nodePorts: range, portStorage, client, random, clock, logger } = options;
  const informers = createInformers(options);
  const { ipAddresses, serviceCIDRs, services } = informers;
  const networks = new ServiceNetworks(serviceCIDRs);
  const addresses = storedIPAddresses({ informer: ipAddresses, client, logger });
  const dependencies = { addresses, random, clock, metrics: options.clusterIPMetrics(addresses) };
  const ports = storedPortRange(portStorage);
  return {
    primaryFamily: ranges[0].family,
    clusterIPs: new Map(ranges.map(({ family }) => [family, new ServiceIPAllocator(family, networks, dependencies)])),
    nodePorts: new ServiceNodePortAllocator({ range, registry: ports, random, metrics: options.nodePortMetrics }),
    ports,
    networks,
    addresses,
    informers,
    async ready(signal) {
      await Promise.all([serviceCIDRs.synced(signal), ipAddresses.synced(signal)]);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([services, ipAddresses, serviceCIDRs].map((informer) => informer[Symbol.asyncDispose]()));
    },
  };
}

function createInformers({ client, clock, random, logger }: ServiceAllocatorsOptions) {
  const informerOf = <T extends KubeObject>(resource: GroupVersionResource) =>
    createInformer<T>({ client: client.resource<T>(resource), clock, random, logger });
  return {
    services: informerOf<Service>(SERVICES),
    ipAddresses: informerOf<IPAddress>(IP_ADDRESSES),
    serviceCIDRs: informerOf<ServiceCIDR>(SERVICE_CIDRS),
  };
}
