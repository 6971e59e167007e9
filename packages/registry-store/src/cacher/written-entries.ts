import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredEntry } from '../objects/stored-entry.js';

/** Far more than are on their way at any time; those whose change never comes must not stay. */
const MAX_ENTRIES = 256;

/** Entries that this process has written and whose changes it will be told of. */
export class WrittenEntries<T extends KubeObject> {
  /** No Map: what passes through one that lives long stays with the tables it has outgrown. */
  readonly #entries: StoredEntry<T>[] = [];

  add(entry: StoredEntry<T>): void {
    if (this.#entries.length === MAX_ENTRIES) this.#entries.shift();
    this.#entries.push(entry);
  }

  /** Forgets all entries: later reads may come from another store. */
  clear(): void {
    this.#entries.length = 0;
  }

  /** The entry of a key at just this revision. It is forgotten, and so are those of earlier ones, whose changes will not come. */
  take(key: string, revision: number): StoredEntry<T> | undefined {
    const entries = this.#entries;
    let found: StoredEntry<T> | undefined;
    let kept = 0;
    for (const entry of entries) {
      if (entry.revision === revision && entry.key === key) found = entry;
      else if (entry.revision >= revision) entries[kept++] = entry;
    }
    entries.length = kept;
    return found;
  }
}
