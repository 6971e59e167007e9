import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';

type Handlers<T extends KubeObject> = Parameters<Informer<T>['subscribe']>[0];

/** An informer whose objects a test sets. */
export class ControlledInformer<T extends KubeObject> implements Informer<T> {
  readonly #objects = new Map<string, T>();
  readonly #handlers = new Set<Handlers<T>>();

  put(object: T): void {
    const name = object.metadata.name ?? '';
    const old = this.#objects.get(name);
    this.#objects.set(name, object);
    for (const { added, updated } of this.#handlers) {
      if (old === undefined) added?.(object);
      else updated?.(object, old);
    }
  }

  remove(name: string): void {
    const object = this.#objects.get(name);
    this.#objects.delete(name);
    if (object !== undefined) for (const { deleted } of this.#handlers) deleted?.(object);
  }

  async synced(): Promise<void> {}

  get(_namespace: string, name: string): T | undefined {
    return this.#objects.get(name);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  subscribe(handlers: Handlers<T>): () => void {
    this.#handlers.add(handlers);
    for (const object of this.#objects.values()) handlers.added?.(object);
    return () => void this.#handlers.delete(handlers);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
