import { AllocationError, type AllocationOptions, type NodePortAllocator } from './service-allocators.js';
import { forAll, type Transaction } from './transaction.js';

/** The first port of a dry run. Upstream: PortAllocationOperation.AllocateNext */
const FIRST_GUESS = 32_769;

/**
 * The node ports of one write: allocated at once but released at the end, so that no two services share one. A dry
 * run allocates nothing and returns guesses.
 * Upstream: PortAllocationOperation of pkg/registry/core/service/portallocator/operation.go
 */
export class NodePortOperation implements Transaction {
  readonly #allocator: NodePortAllocator;
  readonly #dryRun: boolean;
  readonly #taken = new Set<number>();
  #highest = FIRST_GUESS - 1;
  readonly #left: number[] = [];

  constructor(allocator: NodePortAllocator, { dryRun }: AllocationOptions) {
    this.#allocator = allocator;
    this.#dryRun = dryRun;
  }

  /** Throws AllocationError. */
  async allocate(port: number): Promise<void> {
    if (!this.#dryRun) await this.#allocator.allocate(port);
    else if (this.#allocator.has(port) || this.#taken.has(port)) {
      throw new AllocationError('provided port is already allocated');
    }
    this.#take(port);
  }

  /** Throws AllocationError if none is left. */
  async allocateNext(): Promise<number> {
    const port = this.#dryRun ? this.#guess() : await this.#allocator.allocateNext();
    this.#take(port);
    return port;
  }

  /** Releases the ports when the write is complete. */
  releaseLater(ports: Iterable<number>): void {
    for (const port of ports) this.#left.push(port);
  }

  async commit(): Promise<void> {
    if (this.#dryRun) return;
    await forAll(this.#left, (port) => this.#allocator.release(port));
  }

  async revert(): Promise<void> {
    if (this.#dryRun) return;
    await forAll(this.#taken, (port) => this.#allocator.release(port));
  }

  #take(port: number): void {
    this.#highest = this.#taken.size === 0 ? port : Math.max(this.#highest, port);
    this.#taken.add(port);
  }

  #guess(): number {
    return this.#highest + 1;
  }
}
