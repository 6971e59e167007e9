import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredEntry } from '../objects/stored-entry.js';

/** Far more than are on their way at any time; those whose change never comes must not stay. */
const MAX_ENTRIES = 256;

/** Entries that this process has written and whose changes it will be told of, by key. */
export class WrittenEntries<T extends KubeObject> {
  readonly #entries = new Map<string, StoredEntry<T>>();

  add(entry: StoredEntry<T>): void {
    this.#entries.set(entry.key, entry);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The entry of a key at just this revision, which is then forgotten. */
  take(key: string, revision: number): StoredEntry<T> | undefined {
    // Always so beside a store in this process; a look-up hashes the key.
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.revision > revision) return undefined;
    this.#entries.delete(key);
    return entry.revision === revision ? entry : undefined;
  }
}
