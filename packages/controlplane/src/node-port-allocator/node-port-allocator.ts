import { messageOf } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import { AllocationError, type NodePortAllocator } from '@apiserver/builtin-resources';
import type { AllocationScope } from '../service-ip-allocator/cluster-ip-metrics.js';
import type { NodePortMetrics } from './node-port-metrics.js';
import { PortBitmap } from './port-bitmap.js';
import { formatPortRange, type PortRange } from './port-range.js';
import type { PortRangeRegistry, PortRangeSnapshot } from './stored-port-range.js';

/** Bounds of the part reserved for explicitly requested ports. Upstream: calculateRangeOffset of portallocator */
const MIN_STATIC = 16;
const MAX_STATIC = 128;
const STATIC_SHARE = 32;

/** Dependencies of a node port allocator. */
export interface NodePortAllocatorOptions {
  /** Upstream flag: --service-node-port-range, default 30000-32767 */
  readonly range: PortRange;
  readonly registry: PortRangeRegistry;
  readonly random: RandomInt;
  readonly metrics: NodePortMetrics;
}

/**
 * Allocates node ports, one at a time. The store, which all servers share, records allocated ports.
 * Upstream: PortAllocator of pkg/registry/core/service/portallocator/allocator.go
 */
export class ServiceNodePortAllocator implements NodePortAllocator {
  readonly range: PortRange;
  readonly #options: NodePortAllocatorOptions;
  /** The last known state of the store. */
  #seen: PortBitmap;
  /** The current change; the next one waits for it. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: NodePortAllocatorOptions) {
    this.range = options.range;
    this.#options = options;
    this.#seen = PortBitmap.empty(options.range.size);
  }

  async allocate(port: number): Promise<void> {
    const { metrics } = this.#options;
    if (!this.contains(port)) {
      metrics.failed('static');
      const ports = formatPortRange(this.range);
      throw new AllocationError(`provided port is not in the valid range. The range of valid ports is ${ports}`);
    }
    const offset = port - this.range.base;
    await this.#counted('static', (bitmap) => {
      if (!bitmap.take(offset)) throw new AllocationError('provided port is already allocated');
    });
  }

  async allocateNext(): Promise<number> {
    const reserved = staticPorts(this.range.size);
    let offset = 0;
    await this.#counted('dynamic', (bitmap) => {
      const found = this.#takeAny(bitmap, reserved, this.range.size) ?? this.#takeAny(bitmap, 0, reserved);
      if (found === undefined) throw new AllocationError('range is full');
      offset = found;
    });
    return this.range.base + offset;
  }

  async release(port: number): Promise<void> {
    if (!this.contains(port)) return;
    await this.#change((bitmap) => bitmap.release(port - this.range.base));
    this.#reportUsage();
  }

  has(port: number): boolean {
    return this.contains(port) && this.#seen.has(port - this.range.base);
  }

  contains(port: number): boolean {
    return port >= this.range.base && port < this.range.base + this.range.size;
  }

  /** Stores the repair loop's result; it is not counted in metrics, as upstream. */
  restore(snapshot: PortRangeSnapshot): void {
    this.#seen = this.#bitmapOf(snapshot);
  }

  async #counted(scope: AllocationScope, take: (bitmap: PortBitmap) => void): Promise<void> {
    const { metrics } = this.#options;
    try {
      await this.#change(take);
    } catch (error) {
      metrics.failed(scope);
      if (error instanceof AllocationError) throw error;
      throw new AllocationError(messageOf(error), { cause: error });
    }
    metrics.allocated(scope);
    this.#reportUsage();
  }

  #change(change: (bitmap: PortBitmap) => void): Promise<void> {
    const run = async () => {
      await this.#options.registry.update((stored) => {
        const bitmap = this.#bitmapOf(stored);
        this.#seen = bitmap;
        change(bitmap);
        return { range: stored.range, data: bitmap.toBase64() };
      });
    };
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => {});
    return done;
  }

  #bitmapOf({ range, data }: PortRangeSnapshot): PortBitmap {
    if (range !== formatPortRange(this.range)) {
      throw new AllocationError('the provided range does not match the current range');
    }
    return PortBitmap.fromBase64(this.range.size, data);
  }

  #reportUsage(): void {
    const taken = this.#seen.taken().length;
    this.#options.metrics.changed(taken, this.range.size - taken);
  }

  /** Searches from a random offset between `first` and `end`, exclusive, and wraps around. */
  #takeAny(bitmap: PortBitmap, first: number, end: number): number | undefined {
    const size = end - first;
    if (size <= 0) return undefined;
    const start = this.#options.random(size);
    for (let i = 0; i < size; i++) {
      const offset = first + ((start + i) % size);
      if (bitmap.take(offset)) return offset;
    }
    return undefined;
  }
}

function staticPorts(size: number): number {
  if (size < MIN_STATIC) return 0;
  return Math.min(MAX_STATIC, Math.max(MIN_STATIC, Math.floor(size / STATIC_SHARE)));
}
