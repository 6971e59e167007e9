import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isGone, isResourceExpired } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { Backoff } from './backoff.js';
import { followWatch } from './follow-watch.js';
import { type InformerHandlers, ObjectView } from './object-view.js';
import { untilAborted } from './until-aborted.js';

/** Dependencies of an informer. */
export interface InformerOptions<T extends KubeObject> {
  /** The loopback client, so that the informer shares the frozen objects of the watch cache. */
  readonly client: Pick<ResourceClient<T>, 'list' | 'watch'>;
  /** "" for all namespaces, the default. */
  readonly namespace?: string;
  readonly clock: Clock;
  /** For the pauses between retries. */
  readonly random: RandomInt;
  readonly logger: Logger;
}

/**
 * A view of one resource that stays current. It lists, watches, resumes from the last version when a watch ends, and
 * lists again when that version is too old. It starts with the first call of any method, and runs until it is disposed.
 * A late subscriber receives every existing object as added.
 * Upstream: k8s.io/client-go/tools/cache.SharedIndexInformer
 */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  return new ListWatchInformer(options);
}

class ListWatchInformer<T extends KubeObject> implements Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #view: ObjectView<T>;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  /** Undefined until the first use; settles after disposal. */
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock, options.random);
    this.#view = new ObjectView((error) => options.logger.error(error, 'Informer handler failed'));
    // It may be disposed before it has synced, without a waiting caller.
    this.#synced.promise.catch(() => {});
  }

  async synced(signal?: AbortSignal): Promise<void> {
    this.#start();
    const { promise } = this.#synced;
    return signal === undefined ? promise : untilAborted(promise, signal);
  }

  get(namespace: string, name: string): T | undefined {
    this.#start();
    return this.#view.get(namespace, name);
  }

  list(namespace?: string): readonly T[] {
    this.#start();
    return this.#view.list(namespace);
  }

  subscribe(handlers: InformerHandlers<T>): () => void {
    this.#start();
    return this.#view.subscribe(handlers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#synced.reject(new Error('the informer was disposed'));
    await this.#running;
  }

  #start(): void {
    if (!this.#stop.signal.aborted) this.#running ??= this.#run(this.#stop.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#watchFrom(await this.#list(signal), signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.logger.v(2)?.error(error, 'Informer lists again');
        // A list need not wait after a version that is too old.
        if (!isResourceExpired(error) && !isGone(error)) await this.#backoff.wait(signal);
      }
    }
  }

  /** Returns the version of the list. */
  async #list(signal: AbortSignal): Promise<string> {
    const { client, namespace = '' } = this.#options;
    const { items, resourceVersion } = await untilAborted(client.list(namespace), signal);
    this.#view.replace(items.map(({ object }) => object));
    this.#synced.resolve();
    return resourceVersion;
  }

  /** Watches, and resumes when a watch ends normally; throws if a list is needed. */
  async #watchFrom(version: string, signal: AbortSignal): Promise<void> {
    const { client, namespace = '' } = this.#options;
    let last = version;
    while (!signal.aborted) {
      const pending = client.watch(namespace, { resourceVersion: last, allowWatchBookmarks: true });
      const source = await untilAborted(pending, signal, (late) => late.close());
      const started = this.#options.clock.now();
      const seen = await followWatch(source, this.#view, signal);
      // A watch that ends at once without events would be repeated endlessly.
      if (seen === undefined && this.#options.clock.now() - started < 1000) await this.#backoff.wait(signal);
      last = seen ?? last;
    }
  }
}
