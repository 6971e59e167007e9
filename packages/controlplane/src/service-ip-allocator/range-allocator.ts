import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import { AllocationError, type ServiceReference } from '@apiserver/builtin-resources';
import type { AllocationScope, ClusterIPMetrics } from './cluster-ip-metrics.js';
import type { IPAddresses } from './ip-addresses.js';
import { addressAt, type IPRange, rangeContains } from './ip-range.js';

/** Number of bits in one result of `RandomInt`. */
const DRAW_BITS = 30n;

/** Dependencies of a RangeAllocator. */
export interface AllocatorDependencies {
  readonly addresses: IPAddresses;
  readonly random: RandomInt;
  readonly metrics: ClusterIPMetrics;
  readonly clock: Clock;
}

/**
 * Allocates addresses of one network. It has no state: IPAddress objects record the allocations.
 * Upstream: Allocator of pkg/registry/core/service/ipallocator/ipallocator.go
 */
export class RangeAllocator {
  readonly range: IPRange;
  readonly #dependencies: AllocatorDependencies;

  constructor(range: IPRange, dependencies: AllocatorDependencies) {
    this.range = range;
    this.#dependencies = dependencies;
  }

  /** Allocates the given address. Throws AllocationError. */
  async allocate(address: string, service: ServiceReference): Promise<void> {
    if (!rangeContains(this.range, address)) {
      this.#dependencies.metrics.failed(this.range.cidr, 'static');
      throw new AllocationError(`provided IP ${address} is not in the valid range`);
    }
    const taken = await this.#measured(() => this.#take(address, service, 'static'));
    if (!taken) throw new AllocationError('provided IP is already allocated');
  }

  /**
   * Allocates a free address, from the lower part only if the rest is full; undefined if all are allocated. Throws
   * AllocationError with the API's error.
   */
  async allocateNext(service: ServiceReference): Promise<string | undefined> {
    const { first, last, dynamicFirst } = this.range;
    return this.#measured(async () => {
      const address =
        (await this.#takeAny(dynamicFirst, last, service)) ?? (await this.#takeAny(first, dynamicFirst - 1n, service));
      if (address === undefined) this.#dependencies.metrics.failed(this.range.cidr, 'dynamic');
      return address;
    });
  }

  async release(address: string): Promise<void> {
    await this.#dependencies.addresses.giveBack(address);
    this.#dependencies.metrics.changed(this.range.cidr);
  }

  /** Searches from a random address and wraps around. Skips addresses that another server allocates first. */
  async #takeAny(first: bigint, last: bigint, service: ServiceReference): Promise<string | undefined> {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const start = draw(this.#dependencies.random, size);
    for (let i = 0n; i < size; i++) {
      const address = addressAt(this.range, first + ((start + i) % size));
      if (this.#dependencies.addresses.isTaken(address)) continue;
      if (await this.#take(address, service, 'dynamic')) return address;
    }
    return undefined;
  }

  async #take(address: string, service: ServiceReference, scope: AllocationScope): Promise<boolean> {
    const { addresses, metrics } = this.#dependencies;
    let taken = false;
    try {
      taken = await addresses.take(address, service);
    } catch (error) {
      throw new AllocationError(messageOf(error), { cause: error });
    } finally {
      if (taken) metrics.allocated(this.range.cidr, scope);
      else metrics.failed(this.range.cidr, scope);
    }
    return taken;
  }

  /** Records only successful allocations. */
  async #measured<T>(take: () => Promise<T>): Promise<T> {
    const { metrics } = this.#dependencies;
    const clock = durationClock(this.#dependencies.clock);
    const started = clock.now();
    const taken = await take();
    if (taken) metrics.took(this.range.cidr, (clock.now() - started) / 1000);
    return taken;
  }
}

function draw(random: RandomInt, bound: bigint): bigint {
  if (bound <= 1n << DRAW_BITS) return BigInt(random(Number(bound)));
  let drawn = 0n;
  for (let bits = 0n; bits < 128n; bits += DRAW_BITS) {
    drawn = (drawn << DRAW_BITS) | BigInt(random(Number(1n << DRAW_BITS)));
  }
  return drawn % bound;
}
