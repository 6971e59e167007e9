import { equalJson } from '../json/equal-json.js';
import { getOwn } from '../json/set-own.js';
import type { Json, JsonObject } from '../types/json.js';
import { LongList } from './long-list.js';

/** Maximum length of lists that are edited in place. */
const SHORT = 2048;

/**
 * The lists of a document during a patch. Long lists with insertions or removals are kept beside the document. Until
 * `settle`, the lists in the document are stale.
 */
export class EditedLists {
  readonly #long = new Map<readonly Json[], LongList>();

  lengthOf(list: readonly Json[]): number {
    return this.#long.get(list)?.length ?? list.length;
  }

  /** `index` must be valid, here and in the methods below. */
  at(list: readonly Json[], index: number): Json | undefined {
    const long = this.#long.get(list);
    return long === undefined ? list[index] : long.at(index);
  }

  set(list: Json[], index: number, value: Json): void {
    const long = this.#long.get(list);
    if (long === undefined) list[index] = value;
    else long.set(index, value);
  }

  insert(list: Json[], index: number, value: Json): void {
    const long = this.#longOf(list);
    if (long === undefined) list.splice(index, 0, value);
    else long.insert(index, value);
  }

  remove(list: Json[], index: number): void {
    const long = this.#longOf(list);
    if (long === undefined) list.splice(index, 1);
    else long.remove(index);
  }

  /** Deep equality of a value of the document with another one. */
  equal(value: Json, other: Json): boolean {
    if (this.#long.size === 0) return equalJson(value, other);
    if (typeof value !== 'object' || typeof other !== 'object' || value === null || other === null) {
      return equalJson(value, other);
    }
    if (Array.isArray(value)) return Array.isArray(other) && this.#equalLists(value, other);
    return !Array.isArray(other) && this.#equalObjects(value, other);
  }

  /** Writes the edited lists back into a value of the document. */
  settle(value: Json): void {
    if (this.#long.size === 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      this.#long.get(value)?.writeTo(value);
      this.#long.delete(value);
      for (const item of value) this.settle(item);
    } else for (const key of Object.keys(value)) this.settle(value[key] ?? null);
  }

  #longOf(list: readonly Json[]): LongList | undefined {
    const known = this.#long.get(list);
    if (known !== undefined || list.length <= SHORT) return known;
    const long = new LongList(list);
    this.#long.set(list, long);
    return long;
  }

  #equalLists(list: readonly Json[], other: readonly Json[]): boolean {
    if (this.lengthOf(list) !== other.length) return false;
    let i = 0;
    for (const item of this.#long.get(list) ?? list) if (!this.equal(item, other[i++] ?? null)) return false;
    return true;
  }

  #equalObjects(object: JsonObject, other: JsonObject): boolean {
    const keys = Object.keys(other);
    if (Object.keys(object).length !== keys.length) return false;
    return keys.every((key) => {
      const value = getOwn(object, key);
      return value !== undefined && this.equal(value, other[key] ?? null);
    });
  }
}
