import { formatGroupResource, type KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { type Informer, loadedObject, type StoredObject, whenLoaded } from '@apiserver/apiserver-contracts';
import { type FirstUseOptions, followFromFirstUse } from './follow-from-first-use.js';
import { followResource } from './follow-resource.js';
import { type InformerHandlers, ObjectView } from './object-view.js';
import { untilAborted } from './until-aborted.js';

/** Dependencies of an informer: the loopback client lets it share the frozen objects of the watch cache. */
export type InformerOptions<T extends KubeObject> = FirstUseOptions<T>;

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
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  /** Undefined until the first use; settles after disposal. */
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    const { client, logger } = options;
    this.#view = new ObjectView((error) => {
      logger.error(error, 'Informer handler failed', { resource: formatGroupResource(client.resource) });
    });
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
    const reason = new Error('the informer was disposed');
    this.#stop.abort(reason);
    this.#synced.reject(reason);
    await this.#running;
  }

  #start(): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const follow = this.#options.unused === undefined ? followResource : followFromFirstUse;
    this.#running ??= follow<T>(
      this.#options,
      {
        replace: async (listed) => {
          const objects = await decoded(listed);
          if (signal.aborted) return;
          this.#view.replace(objects);
          this.#synced.resolve();
        },
        event: ({ type, object }) =>
          whenLoaded(object, (loaded) => {
            if (signal.aborted) return;
            if (type === 'DELETED') this.#view.remove(loaded);
            else this.#view.put(loaded);
          }),
      },
      signal,
    );
  }
}

/** Decodes in slices of time. */
async function decoded<T extends KubeObject>(listed: readonly StoredObject<T>[]): Promise<readonly T[]> {
  const slice = new TimeSlice();
  const objects: T[] = [];
  for (const [i, stored] of listed.entries()) {
    const object = loadedObject(stored);
    objects.push(object instanceof Promise ? await object : object);
    if (slice.overAt(i, 16, stored.byteLength ?? 0)) await slice.yield();
  }
  return objects;
}
