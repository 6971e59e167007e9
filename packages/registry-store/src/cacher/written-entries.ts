import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredEntry } from '../objects/stored-entry.js';

/** Far more than are ever in transit; entries whose change never arrives must not accumulate. */
const MAX_ENTRIES = 256;

/** Entries that this process has written and whose changes it expects. */
export class WrittenEntries<T extends KubeObject> {
  /** Not a Map: entries that pass through a long-lived one stay in the tables it has outgrown. */
  readonly #entries: StoredEntry<T>[] = [];

  add(entry: StoredEntry<T>): void {
    if (this.#entries.length === MAX_ENTRIES) this.#entries.shift();
    this.#entries.push(entry);
  }

  /** Drops all entries: later reads may come from another store. */
  clear(): void {
    this.#entries.length = 0;
  }

  /**
   * Takes the entry of a key at exactly this revision. Entries of earlier revisions are dropped too: their changes will
   * not arrive.
   */
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
