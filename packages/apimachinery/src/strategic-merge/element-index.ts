import { isMembers } from '../json/is-members.js';
import { getOwn } from '../json/set-own.js';
import type { Json } from '../types/json.js';

/**
 * First place of each element of a list: by value, or by the value of its merge key. A list of 3 MiB has some 250,000
 * elements; a linear search for each element of a patch takes minutes.
 */
export class ElementIndex {
  readonly #mergeKey: string;
  readonly #places = new Map<Json | undefined, number>();

  /** "" as merge key: a list of primitives. Elements that are not objects have no merge key, and are not indexed. */
  constructor(items: readonly Json[], mergeKey: string) {
    this.#mergeKey = mergeKey;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as Json;
      if (mergeKey !== '' && !isMembers(item)) continue;
      const value = this.#valueOf(item);
      if (!this.#places.has(value)) this.#places.set(value, i);
    }
  }

  /** The index of the first equal element; -1 if there is none. */
  placeOf(item: Json): number {
    return this.#places.get(this.#valueOf(item)) ?? -1;
  }

  #valueOf(item: Json): Json | undefined {
    if (this.#mergeKey === '') return item;
    return isMembers(item) ? getOwn(item, this.#mergeKey) : undefined;
  }
}
