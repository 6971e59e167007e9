import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';

type Handlers<T extends KubeObject> = Parameters<Informer<T>['subscribe']>[0];

/** An Informer whose events a test sends. */
export class MemoryInformer<T extends KubeObject> implements Informer<T> {
  readonly #objects = new Map<string, T>();
  readonly #handlers = new Set<Handlers<T>>();

  constructor(objects: Iterable<T> = []) {
    for (const object of objects) this.set(object);
  }

  get subscribers(): number {
    return this.#handlers.size;
  }

  set(object: T): void {
    const old = this.#objects.get(keyOf(object));
    this.#objects.set(keyOf(object), object);
    for (const handlers of this.#handlers) {
      if (old === undefined) handlers.added?.(object);
      else handlers.updated?.(object, old);
    }
  }

  delete(object: T): void {
    if (!this.#objects.delete(keyOf(object))) return;
    for (const handlers of this.#handlers) handlers.deleted?.(object);
  }

  async synced(): Promise<void> {}

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(namespace = ''): readonly T[] {
    const all = [...this.#objects.values()];
    return namespace === '' ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  subscribe(handlers: Handlers<T>): () => void {
    this.#handlers.add(handlers);
    return () => void this.#handlers.delete(handlers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handlers.clear();
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}
