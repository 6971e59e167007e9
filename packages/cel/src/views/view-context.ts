import type { Value } from '../values/value.js';
import type { Work } from '../values/work.js';
import type { JsonMap } from './json.js';

/** Keys from which finding them out takes long. */
const MANY_KEYS = 16;

/** All views of one JSON document share it. It keeps the keys of large objects, and the values of long texts. */
export class ViewContext {
  /** Counts the work of the evaluation that reads the document. */
  work: Work | undefined;
  #keys: Map<JsonMap, readonly string[]> | undefined;
  #values: Map<object, Map<string, Value>> | undefined;

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

  /** The value that a form reads out of a text. It is parsed at the first call. */
  once(form: object, text: string, parse: () => Value): Value {
    const ofForm = this.#values?.get(form) ?? new Map<string, Value>();
    const known = ofForm.get(text);
    if (known !== undefined) return known;
    const value = parse();
    this.#values ??= new Map();
    this.#values.set(form, ofForm.set(text, value));
    return value;
  }
}
