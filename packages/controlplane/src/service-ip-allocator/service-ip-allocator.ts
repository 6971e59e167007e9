import type { RandomInt } from '@apiserver/apimachinery';
import { AllocationError, type ClusterIPAllocator, type ServiceReference } from '@apiserver/builtin-resources';
import { addressAt, type IPRange, rangeContains, rangeSize } from './ip-range.js';

/** What one draw of `RandomInt` gives. */
const DRAW_BITS = 30n;

/**
 * The addresses of one range and who holds them, in memory: one server owns the range, and learns at its start what
 * stored services hold.
 * Upstream: Allocator of pkg/registry/core/service/ipallocator/ipallocator.go, which keeps IPAddress objects instead
 */
export class ServiceIPAllocator implements ClusterIPAllocator {
  readonly range: IPRange;
  readonly #random: RandomInt;
  readonly #holders = new Map<string, ServiceReference>();

  constructor(range: IPRange, random: RandomInt) {
    this.range = range;
    this.#random = random;
  }

  async allocate(address: string, service: ServiceReference, dryRun: boolean): Promise<void> {
    const inRange = rangeContains(this.range, address);
    // Upstream's dry run asks an allocator of one range, the real one the allocators of all: hence two texts.
    if (!inRange && dryRun) throw new AllocationError(`provided IP ${address} is not in the valid range`);
    if (!inRange) throw new AllocationError('the provided network does not match the current range');
    if (dryRun) return;
    if (!this.hold(address, service)) throw new AllocationError('provided IP is already allocated');
  }

  async allocateNext(service: ServiceReference, dryRun: boolean): Promise<string> {
    const { first, last, dynamicFirst } = this.range;
    // Nobody gets it: a dry run answers the address of the network.
    if (dryRun) return addressAt(this.range, first - 1n);
    const address = this.#holdAny(dynamicFirst, last, service) ?? this.#holdAny(first, dynamicFirst - 1n, service);
    if (address === undefined) throw new AllocationError('range is full');
    return address;
  }

  async release(address: string): Promise<void> {
    this.#holders.delete(address);
  }

  /** Takes an address, in canonical form, for a service; false if it is taken. Any address, also one outside the range. */
  hold(address: string, service: ServiceReference): boolean {
    if (this.#holders.has(address)) return false;
    this.#holders.set(address, service);
    return true;
  }

  holderOf(address: string): ServiceReference | undefined {
    return this.#holders.get(address);
  }

  /** Every taken address with its holder. */
  held(): IterableIterator<[string, ServiceReference]> {
    return this.#holders.entries();
  }

  /** Addresses of the range that nobody holds. */
  get free(): bigint {
    let used = 0n;
    for (const address of this.#holders.keys()) if (rangeContains(this.range, address)) used++;
    return rangeSize(this.range) - used;
  }

  /** From anywhere between two addresses on, around the end. Undefined when all are taken. */
  #holdAny(first: bigint, last: bigint, service: ServiceReference): string | undefined {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const start = this.#draw(size);
    for (let i = 0n; i < size; i++) {
      const address = addressAt(this.range, first + ((start + i) % size));
      if (this.hold(address, service)) return address;
    }
    return undefined;
  }

  #draw(bound: bigint): bigint {
    if (bound <= 1n << DRAW_BITS) return BigInt(this.#random(Number(bound)));
    let drawn = 0n;
    for (let bits = 0n; bits < 128n; bits += DRAW_BITS) {
      drawn = (drawn << DRAW_BITS) | BigInt(this.#random(Number(1n << DRAW_BITS)));
    }
    return drawn % bound;
  }
}
