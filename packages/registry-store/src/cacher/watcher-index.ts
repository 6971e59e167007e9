/** Which keys a watcher may want: a namespace, a name, both or neither ("": any), and a value of the indexed field. */
export interface WatchScope {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: any. */
  readonly indexed?: string;
}

interface Scoped {
  readonly scope: WatchScope;
}

/** Watchers by scope, so that an event looks only at those that may want it. */
export class WatcherIndex<W extends Scoped> {
  readonly #byScope = new Map<string, Set<W>>();
  readonly #byValue = new Map<string, Set<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether somebody watches by the indexed field, so that its values must be known. */
  get usesIndex(): boolean {
    return this.#byValue.size > 0;
  }

  add(watcher: W): void {
    const [groups, id] = this.#groupOf(watcher.scope);
    const group = groups.get(id) ?? new Set();
    groups.set(id, group.add(watcher));
    this.#size++;
  }

  remove(watcher: W): void {
    const [groups, id] = this.#groupOf(watcher.scope);
    const group = groups.get(id);
    if (!group?.delete(watcher)) return;
    this.#size--;
    if (group.size === 0) groups.delete(id);
  }

  /**
   * Calls back every watcher that may want the object, but those by the indexed field; who is removed meanwhile is left
   * out.
   */
  forEach(namespace: string, name: string, callback: (watcher: W) => void): void {
    if (this.#byScope.size === 0) return;
    this.#byScope.get(idOf('', ''))?.forEach(callback);
    this.#byScope.get(idOf('', name))?.forEach(callback);
    if (namespace === '') return;
    this.#byScope.get(idOf(namespace, ''))?.forEach(callback);
    this.#byScope.get(idOf(namespace, name))?.forEach(callback);
  }

  /** The same of those who watch one value of the indexed field. */
  forEachByValue(value: string, object: WatchScope, callback: (watcher: W) => void): void {
    this.#byValue.get(value)?.forEach((watcher) => {
      const { namespace, name } = watcher.scope;
      if (namespace !== '' && namespace !== object.namespace) return;
      if (name === '' || name === object.name) callback(watcher);
    });
  }

  all(): readonly W[] {
    return [...this.#byScope.values(), ...this.#byValue.values()].flatMap((group) => [...group]);
  }

  #groupOf({ namespace, name, indexed }: WatchScope): readonly [groups: Map<string, Set<W>>, id: string] {
    return indexed === undefined ? [this.#byScope, idOf(namespace, name)] : [this.#byValue, indexed];
  }
}

/** A name may have any character but "/". */
function idOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
