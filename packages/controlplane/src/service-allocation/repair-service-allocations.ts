import type { Service } from '@apiserver/api/core/v1';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { IPFamily, ServiceReference } from '@apiserver/builtin-resources';
import { formatPortRange } from '../node-port-allocator/port-range.js';
import { rangeContains } from '../service-ip-allocator/ip-range.js';
import type { ServerServiceAllocators } from './create-service-allocators.js';
import { addressesOf, portsOf, referenceTo } from './held-by-service.js';

/** Rounds that something held by no service is left alone: its service may be about to be written. */
const ROUNDS_BEFORE_RELEASE = 3;

/**
 * Compares what the allocators hold with what services say: takes what was not taken, logs what two services claim or
 * what is outside the ranges, and gives back what no service has claimed for three rounds.
 * Upstream: pkg/registry/core/service/ipallocator/controller and portallocator/controller
 */
export class ServiceAllocationRepair {
  readonly #allocators: ServerServiceAllocators;
  readonly #logger: Logger;
  /** Rounds in which nobody claimed it, by address or port. */
  #unclaimed = new Map<string | number, number>();

  constructor(allocators: ServerServiceAllocators, logger: Logger) {
    this.#allocators = allocators;
    this.#logger = logger;
  }

  /** One round over every stored service. */
  async run(services: readonly Service[]): Promise<void> {
    const claims = new Map<string | number, ServiceReference>();
    for (const service of services) {
      this.#repairAddresses(service, claims);
      this.#repairPorts(service, claims);
    }
    await this.#releaseUnclaimed(claims);
  }

  #repairAddresses(service: Service, claims: Map<string | number, ServiceReference>): void {
    const reference = referenceTo(service);
    for (const { family, address } of addressesOf(service)) {
      const allocator = this.#allocators.clusterIPs.get(family);
      if (allocator === undefined || !rangeContains(allocator.range, address)) {
        this.#warn('Cluster IP is not within any service CIDR; please recreate the service', reference, { address });
        continue;
      }
      const other = claims.get(address);
      if (other !== undefined) {
        this.#warn('Cluster IP is assigned to several services; please recreate the service', reference, {
          address,
          otherService: nameOf(other),
        });
        continue;
      }
      claims.set(address, reference);
      if (allocator.hold(address, reference)) {
        this.#warn('Cluster IP was not allocated; repaired', reference, { address });
      }
    }
  }

  #repairPorts(service: Service, claims: Map<string | number, ServiceReference>): void {
    const reference = referenceTo(service);
    const { nodePorts } = this.#allocators;
    for (const port of portsOf(service)) {
      if (!nodePorts.contains(port)) {
        const portRange = formatPortRange(nodePorts.range);
        this.#warn('Node port is not within the port range; please recreate the service', reference, {
          port,
          portRange,
        });
        continue;
      }
      const other = claims.get(port);
      if (other !== undefined) {
        this.#warn('Node port is assigned to several services; please recreate the service', reference, {
          port,
          otherService: nameOf(other),
        });
        continue;
      }
      claims.set(port, reference);
      if (nodePorts.hold(port)) this.#warn('Node port was not allocated; repaired', reference, { port });
    }
  }

  async #releaseUnclaimed(claims: ReadonlyMap<string | number, ServiceReference>): Promise<void> {
    const { clusterIPs, nodePorts } = this.#allocators;
    const unclaimed = new Map<string | number, number>();
    const rounds = (held: string | number) => (this.#unclaimed.get(held) ?? 0) + 1;
    const owners: [string | number, IPFamily | undefined][] = [
      ...[...clusterIPs].flatMap(([family, allocator]) =>
        [...allocator.held()].map(([address]): [string, IPFamily] => [address, family]),
      ),
      ...[...nodePorts.held()].map((port): [number, undefined] => [port, undefined]),
    ];
    for (const [held, family] of owners) {
      if (claims.has(held)) continue;
      if (rounds(held) < ROUNDS_BEFORE_RELEASE) {
        unclaimed.set(held, rounds(held));
        continue;
      }
      if (typeof held === 'number') await nodePorts.release(held);
      else if (family !== undefined) await clusterIPs.get(family)?.release(held);
      this.#logger.warning('Released what no service has claimed', { held: String(held) });
    }
    this.#unclaimed = unclaimed;
  }

  #warn(message: string, service: ServiceReference, fields: Readonly<Record<string, unknown>>): void {
    this.#logger.warning(message, { service: nameOf(service), ...fields });
  }
}

function nameOf({ namespace, name }: ServiceReference): string {
  return `${namespace}/${name}`;
}
