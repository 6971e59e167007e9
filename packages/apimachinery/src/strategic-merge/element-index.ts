import { getOwn } from '../json/set-own.js';
import type { Json } from '../types/json.js';
import { isObject } from './is-object.js';

/**
 * Where a list has each element first: by value, or by the value of its merge key. A list of 3 MiB has some 250,000
 * elements, so that looking through it for each element of a patch takes minutes.
 */
export class ElementIndex {
  readonly #mergeKey: string;
  readonly #places = new Map<Json | undefined, number>();

  /** "" as merge key: a list of primitives. Elements that are no objects have no merge key, and no place. */
  constructor(items: readonly Json[], mergeKey: string) {
    this.#mergeKey = mergeKey;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as Json;
      if (mergeKey !== '' && !isObject(item)) continue;
      const value = this.#valueOf(item);
      if (!this.#places.has(value)) this.#places.set(value, i);
    }
  }

  /** The place of the first element that is the same; -1: there is none. */
  placeOf(item: Json): number {
    return this.#places.get(this.#valueOf(item)) ?? -1;
  }

  #valueOf(item: Json): Json | undefined {
    if (this.#mergeKey === '') return item;
    return isObject(item) ? getOwn(item, this.#mergeKey) : undefined;
  }
}
