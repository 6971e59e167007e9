/**
 * The keys that a watcher may want: a namespace, a name, both or neither ("": any), and a value of the indexed field.
 */
export interface WatchScope {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: any. */
  readonly indexed?: string;
}

interface Scoped {
  readonly scope: WatchScope;
}

/** Watchers of one namespace, or of all: of everything in it, or of one name. */
class Group<W> {
  readonly #all = new Set<W>();
  readonly #byName = new Map<string, Set<W>>();

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#byName.size === 0;
  }

  add(name: string, watcher: W): void {
    if (name === '') this.#all.add(watcher);
    else addTo(this.#byName, name, watcher);
  }

  remove(name: string, watcher: W): boolean {
    return name === '' ? this.#all.delete(watcher) : removeFrom(this.#byName, name, watcher);
  }

  forEach(name: string, callback: (watcher: W) => void): void {
    this.#all.forEach(callback);
    if (this.#byName.size > 0) this.#byName.get(name)?.forEach(callback);
  }

  watchers(): readonly W[] {
    return [...this.#all, ...watchersOf(this.#byName)];
  }
}

/** Watchers by scope, so that an event only visits those that may want it. */
export class WatcherIndex<W extends Scoped> {
  readonly #everywhere = new Group<W>();
  readonly #byNamespace = new Map<string, Group<W>>();
  readonly #byValue = new Map<string, Set<W>>();
  /** For the latest event: events come in runs, and V8 interns every string that it looks up in a Map. */
  #latest: { readonly namespace: string; readonly group: Group<W> | undefined } | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** True if a watcher uses the indexed field, so that its values are needed. */
  get usesIndex(): boolean {
    return this.#byValue.size > 0;
  }

  add(watcher: W): void {
    const { namespace, name, indexed } = watcher.scope;
    if (indexed === undefined) this.#madeGroup(namespace).add(name, watcher);
    else addTo(this.#byValue, indexed, watcher);
    this.#size++;
  }

  remove(watcher: W): void {
    const { namespace, name, indexed } = watcher.scope;
    if (indexed !== undefined) {
      if (removeFrom(this.#byValue, indexed, watcher)) this.#size--;
      return;
    }
    const group = this.#groupOf(namespace);
    if (!group?.remove(name, watcher)) return;
    this.#size--;
    if (namespace === '' || !group.isEmpty) return;
    this.#byNamespace.delete(namespace);
    this.#latest = undefined;
  }

  /**
   * Calls back every watcher that may want the object, except those by the indexed field; watchers removed in the
   * meantime are skipped.
   */
  forEach(namespace: string, name: string, callback: (watcher: W) => void): void {
    this.#everywhere.forEach(name, callback);
    if (namespace !== '' && this.#byNamespace.size > 0) this.#latestGroup(namespace)?.forEach(name, callback);
  }

  /** The same for watchers of one value of the indexed field. */
  forEachByValue(value: string, object: WatchScope, callback: (watcher: W) => void): void {
    this.#byValue.get(value)?.forEach((watcher) => {
      const { namespace, name } = watcher.scope;
      if (namespace !== '' && namespace !== object.namespace) return;
      if (name === '' || name === object.name) callback(watcher);
    });
  }

  all(): readonly W[] {
    const groups = [this.#everywhere, ...this.#byNamespace.values()];
    return [...groups.flatMap((group) => group.watchers()), ...watchersOf(this.#byValue)];
  }

  #groupOf(namespace: string): Group<W> | undefined {
    return namespace === '' ? this.#everywhere : this.#byNamespace.get(namespace);
  }

  #madeGroup(namespace: string): Group<W> {
    const known = this.#groupOf(namespace);
    if (known !== undefined) return known;
    const group = new Group<W>();
    this.#byNamespace.set(namespace, group);
    this.#latest = undefined;
    return group;
  }

  #latestGroup(namespace: string): Group<W> | undefined {
    if (this.#latest?.namespace !== namespace) {
      this.#latest = { namespace, group: this.#byNamespace.get(namespace) };
    }
    return this.#latest.group;
  }
}

function addTo<W>(groups: Map<string, Set<W>>, id: string, watcher: W): void {
  const group = groups.get(id) ?? new Set();
  groups.set(id, group.add(watcher));
}

function removeFrom<W>(groups: Map<string, Set<W>>, id: string, watcher: W): boolean {
  const group = groups.get(id);
  const had = group?.delete(watcher) ?? false;
  if (group?.size === 0) groups.delete(id);
  return had;
}

function watchersOf<W>(groups: ReadonlyMap<string, ReadonlySet<W>>): readonly W[] {
  return [...groups.values()].flatMap((group) => [...group]);
}
