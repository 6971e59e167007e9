import {
  AllocationError,
  type ClusterIPAllocator,
  type IPFamily,
  type ServiceReference,
} from '@apiserver/builtin-resources';
import { addressAt, rangeContains, rangeSize } from './ip-range.js';
import { type AllocatorDependencies, RangeAllocator } from './range-allocator.js';
import type { ServiceNetwork, ServiceNetworks } from './service-networks.js';

/** Networks of IPv6 with more addresses than a /64 are not allocated from. Upstream: NewIPAllocator */
const MOST_ADDRESSES = 1n << 64n;

/**
 * Gives out the addresses of one family, from any network that is ready and not full.
 * Upstream: MetaAllocator of pkg/registry/core/service/ipallocator/cidrallocator.go
 */
export class ServiceIPAllocator implements ClusterIPAllocator {
  readonly #family: IPFamily;
  readonly #networks: ServiceNetworks;
  readonly #dependencies: AllocatorDependencies;

  constructor(family: IPFamily, networks: ServiceNetworks, dependencies: AllocatorDependencies) {
    this.#family = family;
    this.#networks = networks;
    this.#dependencies = dependencies;
  }

  async allocate(address: string, service: ServiceReference, dryRun: boolean): Promise<void> {
    if (dryRun) return this.#tryAllocate(address);
    const network = this.#allocatable().find(({ range, ready }) => ready && rangeContains(range, address));
    if (network === undefined) {
      throw new AllocationError('the provided network does not match the current range');
    }
    await this.#allocatorOf(network).allocate(address, service);
  }

  async allocateNext(service: ServiceReference, dryRun: boolean): Promise<string> {
    if (dryRun) return this.#guess();
    for (const network of this.#shuffled()) {
      const address = network.ready ? await this.#allocatorOf(network).allocateNext(service) : undefined;
      if (address !== undefined) return address;
    }
    throw new AllocationError('range is full');
  }

  /** An address of no network is left to the repair loop. */
  async release(address: string): Promise<void> {
    const network = this.#allocatable().find(({ range }) => rangeContains(range, address));
    if (network !== undefined) await this.#allocatorOf(network).release(address);
  }

  /**
   * Does not look whether it is taken, as upstream, which also asks some network at random: here it is one that has the
   * address, if there is one.
   */
  #tryAllocate(address: string): void {
    const networks = this.#allocatable();
    const asked = networks.find(({ range, ready }) => ready && rangeContains(range, address)) ?? networks[0];
    if (!asked?.ready) throw new AllocationError('allocator not ready');
    if (!rangeContains(asked.range, address)) {
      throw new AllocationError(`provided IP ${address} is not in the valid range`);
    }
  }

  /** Nobody gets it: a dry run answers the address of a network. */
  #guess(): string {
    const network = this.#allocatable().find(({ ready }) => ready);
    if (network === undefined) throw new AllocationError('allocator not ready');
    return addressAt(network.range, network.range.first - 1n);
  }

  #allocatable(): readonly ServiceNetwork[] {
    return this.#networks.of(this.#family).filter(({ range }) => rangeSize(range) < MOST_ADDRESSES);
  }

  /** No network is preferred. */
  #shuffled(): readonly ServiceNetwork[] {
    const networks = [...this.#allocatable()];
    for (let i = networks.length - 1; i > 0; i--) {
      const [at] = networks.splice(this.#dependencies.random(i + 1), 1);
      if (at !== undefined) networks.push(at);
    }
    return networks;
  }

  #allocatorOf({ range }: ServiceNetwork): RangeAllocator {
    return new RangeAllocator(range, this.#dependencies);
  }
}
