import type { Exchange } from '@apiserver/apiserver-contracts';

/**
 * The requests that shutdown has to see to an end. Once it waits, nobody else gets in.
 * Upstream: k8s.io/apimachinery/pkg/util/waitgroup.SafeWaitGroup
 */
export class RequestGroup {
  readonly #members = new Set<Exchange>();
  #closed = false;
  #whenEmpty: (() => void)[] = [];

  /** Counts the request until it has finished; false when it comes too late. */
  enter(exchange: Exchange): boolean {
    if (this.#closed) return false;
    this.#members.add(exchange);
    exchange.onFinished(() => this.#leave(exchange));
    return true;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Lets nobody in from now on, and resolves when the last one has finished. */
  wait(): Promise<void> {
    this.#closed = true;
    if (this.#members.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  /**
   * Ends all members, spread evenly over `spread` milliseconds, so that their clients do not all come back at once.
   * Resolves when the last one was told.
   */
  async abortAll(reason: unknown, spread: number): Promise<void> {
    const members = [...this.#members];
    const slices = Math.max(1, Math.min(members.length, Math.floor(spread / sliceTime)));
    const perSlice = Math.ceil(members.length / slices);
    for (let index = 0; index < members.length; index += perSlice) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, spread / slices));
      for (const member of members.slice(index, index + perSlice)) member.abort(reason);
    }
  }

  #leave(exchange: Exchange): void {
    this.#members.delete(exchange);
    if (this.#members.size > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}

/** Milliseconds between two groups of requests that are ended. */
const sliceTime = 100;
