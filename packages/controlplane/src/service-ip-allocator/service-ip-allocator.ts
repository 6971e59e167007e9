import {
  AllocationError,
  type AllocationOptions,
  type ClusterIPAllocator,
  type IPFamily,
  type ServiceReference,
} from '@apiserver/builtin-resources';
import { addressAt, rangeContains, rangeSize } from './ip-range.js';
import { type AllocatorDependencies, RangeAllocator } from './range-allocator.js';
import type { ServiceNetwork, ServiceNetworks } from './service-networks.js';

/** IPv6 networks larger than a /64 are not used. Upstream: NewIPAllocator */
const MAX_ADDRESSES = 1n << 64n;

/**
 * Allocates addresses of one family from any ready network with free addresses.
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

  async allocate(address: string, service: ServiceReference, { dryRun }: AllocationOptions): Promise<void> {
    if (dryRun) return this.#tryAllocate(address);
    const network = this.#allocatable().find(({ range, ready }) => ready && rangeContains(range, address));
    if (network === undefined) {
      throw new AllocationError('the provided network does not match the current range');
    }
    await this.#allocatorOf(network).allocate(address, service);
  }

  async allocateNext(service: ServiceReference, { dryRun }: AllocationOptions): Promise<string> {
    if (dryRun) return this.#guess();
    for (const network of this.#shuffled()) {
      const address = network.ready ? await this.#allocatorOf(network).allocateNext(service) : undefined;
      if (address !== undefined) return address;
    }
    throw new AllocationError('range is full');
  }

  /** An address without a network is left to the repair loop. */
  async release(address: string): Promise<void> {
    const network = this.#allocatable().find(({ range }) => rangeContains(range, address));
    if (network !== undefined) await this.#allocatorOf(network).release(address);
  }

  /**
   * Does not check whether the address is allocated, as upstream. Upstream picks a random network; this picks one
   * that contains the address, if any.
   */
  #tryAllocate(address: string): void {
    const networks = this.#allocatable();
    const network = networks.find(({ range, ready }) => ready && rangeContains(range, address)) ?? networks[0];
    if (!network?.ready) throw new AllocationError('allocator not ready');
    if (!rangeContains(network.range, address)) {
      throw new AllocationError(`provided IP ${address} is not in the valid range`);
    }
  }

  /** The result of a dry run: an address that is not allocated. */
  #guess(): string {
    const network = this.#allocatable().find(({ ready }) => ready);
    if (network === undefined) throw new AllocationError('allocator not ready');
    return addressAt(network.range, network.range.first - 1n);
  }

  #allocatable(): readonly ServiceNetwork[] {
    return this.#networks.of(this.#family).filter(({ range }) => rangeSize(range) < MAX_ADDRESSES);
  }

  /** All networks have the same preference. */
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
