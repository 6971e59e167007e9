import type { RandomInt } from '@apiserver/apimachinery';
import { AllocationError, type NodePortAllocator } from '@apiserver/builtin-resources';
import { formatPortRange, type PortRange } from './port-range.js';

/** Bounds of the part that only named ports come from. Upstream: calculateRangeOffset of portallocator */
const MIN_STATIC = 16;
const MAX_STATIC = 128;
const STATIC_SHARE = 32;

/**
 * The node ports of a server, in memory: it learns at its start what stored services hold.
 * Upstream: PortAllocator of pkg/registry/core/service/portallocator/allocator.go
 */
export class ServiceNodePortAllocator implements NodePortAllocator {
  readonly range: PortRange;
  readonly #random: RandomInt;
  readonly #taken = new Set<number>();

  constructor(range: PortRange, random: RandomInt) {
    this.range = range;
    this.#random = random;
  }

  async allocate(port: number): Promise<void> {
    if (!this.contains(port)) {
      const ports = formatPortRange(this.range);
      throw new AllocationError(`provided port is not in the valid range. The range of valid ports is ${ports}`);
    }
    if (!this.hold(port)) throw new AllocationError('provided port is already allocated');
  }

  async allocateNext(): Promise<number> {
    const { base, size } = this.range;
    const reserved = staticPorts(size);
    const port = this.#holdAny(base + reserved, size - reserved) ?? this.#holdAny(base, reserved);
    if (port === undefined) throw new AllocationError('range is full');
    return port;
  }

  async release(port: number): Promise<void> {
    this.#taken.delete(port);
  }

  has(port: number): boolean {
    return this.#taken.has(port);
  }

  contains(port: number): boolean {
    return port >= this.range.base && port < this.range.base + this.range.size;
  }

  /** Takes a port; false if it is taken. Any port, also one outside the range. */
  hold(port: number): boolean {
    if (this.#taken.has(port)) return false;
    this.#taken.add(port);
    return true;
  }

  /** Every taken port. */
  held(): IterableIterator<number> {
    return this.#taken.values();
  }

  #holdAny(first: number, size: number): number | undefined {
    if (size <= 0) return undefined;
    const start = this.#random(size);
    for (let i = 0; i < size; i++) {
      const port = first + ((start + i) % size);
      if (this.hold(port)) return port;
    }
    return undefined;
  }
}

function staticPorts(size: number): number {
  if (size < MIN_STATIC) return 0;
  return Math.min(MAX_STATIC, Math.max(MIN_STATIC, Math.floor(size / STATIC_SHARE)));
}
