/** Which keys a watcher may want: a namespace, a name, both or neither ("": any). */
export interface WatchScope {
  readonly namespace: string;
  readonly name: string;
}

/** Watchers by scope, so that an event looks only at those that may want it. */
export class WatcherIndex<W> {
  readonly #byScope = new Map<string, Set<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(scope: WatchScope, watcher: W): void {
    const id = idOf(scope.namespace, scope.name);
    const group = this.#byScope.get(id) ?? new Set();
    this.#byScope.set(id, group.add(watcher));
    this.#size++;
  }

  remove(scope: WatchScope, watcher: W): void {
    const id = idOf(scope.namespace, scope.name);
    const group = this.#byScope.get(id);
    if (!group?.delete(watcher)) return;
    this.#size--;
    if (group.size === 0) this.#byScope.delete(id);
  }

  /** Calls back every watcher that may want the object; those that are removed meanwhile are left out. */
  forEach(namespace: string, name: string, callback: (watcher: W) => void): void {
    if (this.#size === 0) return;
    this.#byScope.get(idOf('', ''))?.forEach(callback);
    this.#byScope.get(idOf('', name))?.forEach(callback);
    if (namespace === '') return;
    this.#byScope.get(idOf(namespace, ''))?.forEach(callback);
    this.#byScope.get(idOf(namespace, name))?.forEach(callback);
  }

  all(): readonly W[] {
    return [...this.#byScope.values()].flatMap((group) => [...group]);
  }
}

/** A name may have any character but "/". */
function idOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
