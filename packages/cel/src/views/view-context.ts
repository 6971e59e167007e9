import type { JsonMap } from './json.js';

/** Keys from which finding them out takes long. */
const MANY_KEYS = 16;

/** All views of one JSON document share it. It keeps the keys of large objects. */
export class ViewContext {
  #keys: Map<JsonMap, readonly string[]> | undefined;

  keysOf(json: JsonMap): readonly string[] {
    const known = this.#keys?.get(json);
    if (known !== undefined) return known;
    const keys = Object.keys(json);
    if (keys.length > MANY_KEYS) {
      this.#keys ??= new Map();
      this.#keys.set(json, keys);
    }
    return keys;
  }
}
