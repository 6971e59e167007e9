import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { compareKeys } from '../key-order.js';
import type { StoredEntry } from '../objects/stored-entry.js';

/** The current entries of a resource by the value of its indexed field. */
export class FieldIndex<T extends KubeObject> {
  readonly #byValue = new Map<string, Map<string, StoredEntry<T>>>();
  /** Changes that arrived while the index was being built. */
  #waiting: (readonly [previous: StoredEntry<T> | undefined, current: StoredEntry<T> | undefined])[] | undefined = [];

  /** Adds the existing entries; report all changes from now on. */
  async build(entries: readonly StoredEntry<T>[]): Promise<void> {
    const slice = new TimeSlice();
    for (const [i, entry] of entries.entries()) {
      if (i % 64 === 63 && slice.over) await slice.yield();
      this.#add(entry);
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const [previous, current] of waiting) this.change(previous, current);
  }

  change(previous: StoredEntry<T> | undefined, current: StoredEntry<T> | undefined): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push([previous, current]);
      return;
    }
    if (previous !== undefined) this.#remove(previous);
    if (current !== undefined) this.#add(current);
  }

  /** In key order, from relative key `start` to `end`. */
  entries(value: string, start: string, end: string): StoredEntry<T>[] {
    const found = [...(this.#byValue.get(value)?.values() ?? [])];
    const inRange = found.filter(({ key }) => compareKeys(key, start) >= 0 && compareKeys(key, end) < 0);
    return inRange.sort((a, b) => compareKeys(a.key, b.key));
  }

  #add(entry: StoredEntry<T>): void {
    const value = entry.indexedValue;
    const entries = this.#byValue.get(value) ?? new Map<string, StoredEntry<T>>();
    this.#byValue.set(value, entries.set(entry.key, entry));
  }

  #remove(entry: StoredEntry<T>): void {
    const value = entry.indexedValue;
    const entries = this.#byValue.get(value);
    entries?.delete(entry.key);
    if (entries?.size === 0) this.#byValue.delete(value);
  }
}
