import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';

/** The callbacks of a subscriber. */
export type InformerHandlers<T extends KubeObject> = Parameters<Informer<T>['subscribe']>[0];

/** The objects of one resource as known to an informer, and its subscribers. */
export class ObjectView<T extends KubeObject> {
  /** By namespace, then by name; cluster-scoped objects below "". */
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #subscribers = new Set<InformerHandlers<T>>();
  readonly #onHandlerError: (error: unknown) => void;

  /** `onHandlerError` receives errors of handlers: they are bugs of the handler, and must not stop the others. */
  constructor(onHandlerError: (error: unknown) => void) {
    this.#onHandlerError = onHandlerError;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** In no particular order; all namespaces by default. */
  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.#namespaces.values()].flatMap((objects) => [...objects.values()]);
  }

  /** Reports every existing object as added, then all changes. */
  subscribe(handlers: InformerHandlers<T>): () => void {
    this.#subscribers.add(handlers);
    for (const object of this.list()) this.#tell([handlers], (each) => each.added?.(object));
    return () => void this.#subscribers.delete(handlers);
  }

  /** Adds or replaces an object. The same version has no effect. */
  put(object: T): void {
    const { namespace = '', name = '', resourceVersion } = object.metadata;
    const old = this.get(namespace, name);
    if (old !== undefined && old.metadata.resourceVersion === resourceVersion) return;
    this.#objectsOf(namespace).set(name, object);
    if (old === undefined) this.#tell(this.#subscribers, (each) => each.added?.(object));
    else this.#tell(this.#subscribers, (each) => each.updated?.(object, old));
  }

  /** Removes an object; `object` is its last known state. */
  remove(object: T): void {
    const { namespace = '', name = '' } = object.metadata;
    const objects = this.#namespaces.get(namespace);
    if (objects === undefined || !objects.delete(name)) return;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#tell(this.#subscribers, (each) => each.deleted?.(object));
  }

  /** Replaces the view by a fresh list. Objects missing from it have been deleted. */
  replace(listed: readonly T[]): void {
    const keys = new Set(listed.map(keyOf));
    for (const object of this.list()) if (!keys.has(keyOf(object))) this.remove(object);
    for (const object of listed) this.put(object);
  }

  #objectsOf(namespace: string): Map<string, T> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const objects = new Map<string, T>();
    this.#namespaces.set(namespace, objects);
    return objects;
  }

  #tell(subscribers: Iterable<InformerHandlers<T>>, call: (handlers: InformerHandlers<T>) => void): void {
    for (const handlers of [...subscribers]) {
      try {
        call(handlers);
      } catch (error) {
        this.#onHandlerError(error);
      }
    }
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
