import type { LoopbackClient, WatchSource } from '@apiserver/apiserver-contracts';
import type { Remainder } from './resource-content.js';

/**
 * Watches what remains in namespaces, so that a namespace is looked at again as soon as something of it is gone.
 * Upstream only waits for half of the estimate.
 */
export class ContentWatches {
  readonly #client: LoopbackClient;
  readonly #again: (namespace: string) => void;
  /** Per namespace: ends its watches. */
  readonly #watched = new Map<string, AbortController>();

  constructor(client: LoopbackClient, again: (namespace: string) => void) {
    this.#client = client;
    this.#again = again;
  }

  /** Replaces the watches of a namespace. */
  watch(namespace: string, remainders: readonly Remainder[]): void {
    this.end(namespace);
    const watchable = remainders.filter(({ resource }) => resource.verbs.has('watch'));
    if (watchable.length === 0) return;
    const stop = new AbortController();
    this.#watched.set(namespace, stop);
    for (const remainder of watchable) {
      // The queue looks at the namespace again in any case.
      this.#follow(namespace, remainder, stop.signal).catch(() => {});
    }
  }

  end(namespace: string): void {
    this.#watched.get(namespace)?.abort();
    this.#watched.delete(namespace);
  }

  endAll(): void {
    for (const namespace of [...this.#watched.keys()]) this.end(namespace);
  }

  async #follow(namespace: string, { resource, resourceVersion }: Remainder, signal: AbortSignal): Promise<void> {
    const source: WatchSource = await this.#client.resource(resource).watch(namespace, { resourceVersion });
    if (signal.aborted) return source.close();
    signal.addEventListener('abort', () => source.close(), { once: true });
    source.start({
      event: ({ type }) => {
        if (type !== 'DELETED') return;
        this.#again(namespace);
      },
      end: () => {},
    });
  }
}
