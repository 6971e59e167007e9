import { AllocationError, type NodePortAllocator } from './service-allocators.js';
import type { Transaction } from './transaction.js';

/** Where a dry run begins to guess. Upstream: PortAllocationOperation.AllocateNext */
const FIRST_GUESS = 32_769;

/**
 * The node ports of one write: taken at once, given back at the end, so that two services never have one. A dry run
 * takes nothing and guesses.
 * Upstream: PortAllocationOperation of pkg/registry/core/service/portallocator/operation.go
 */
export class NodePortOperation implements Transaction {
  readonly #allocator: NodePortAllocator;
  readonly #dryRun: boolean;
  readonly #taken: number[] = [];
  readonly #left: number[] = [];

  constructor(allocator: NodePortAllocator, dryRun: boolean) {
    this.#allocator = allocator;
    this.#dryRun = dryRun;
  }

  /** Throws AllocationError. */
  async allocate(port: number): Promise<void> {
    if (!this.#dryRun) await this.#allocator.allocate(port);
    else if (this.#allocator.has(port) || this.#taken.includes(port)) {
      throw new AllocationError('provided port is already allocated');
    }
    this.#taken.push(port);
  }

  /** Throws AllocationError when there is none. */
  async allocateNext(): Promise<number> {
    const port = this.#dryRun ? this.#guess() : await this.#allocator.allocateNext();
    this.#taken.push(port);
    return port;
  }

  /** To be given back when the write is done. */
  releaseLater(...ports: readonly number[]): void {
    this.#left.push(...ports);
  }

  async commit(): Promise<void> {
    if (this.#dryRun) return;
    for (const port of this.#left) await this.#allocator.release(port);
  }

  async revert(): Promise<void> {
    if (this.#dryRun) return;
    for (const port of this.#taken) await this.#allocator.release(port);
  }

  #guess(): number {
    return this.#taken.length === 0 ? FIRST_GUESS : Math.max(...this.#taken) + 1;
  }
}
