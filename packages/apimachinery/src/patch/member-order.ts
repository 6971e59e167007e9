import type { OrderOf } from '../codec/json/stringify-json-steps.js';
import type { DeepReadonly, Json } from '../types/json.js';

/** The keys that JavaScript puts before all others, in the order of their numbers. */
const NUMERIC = /^(?:0|[1-9]\d*)$/;

/**
 * The order in which upstream writes the members of what a patch makes. It sorts those of objects that it has parsed, and
 * leaves the text of others as it is.
 */
export class MemberOrder {
  readonly #parsed = new WeakSet<object>();
  /** The keys of other objects, where JavaScript has another order. */
  readonly #written = new WeakMap<object, readonly string[]>();

  /** Notes that upstream has parsed the object. */
  parse(object: object): void {
    this.#parsed.add(object);
  }

  /** Notes the keys of an object in the order of its text. */
  write(object: object, keys: readonly string[]): void {
    if (keys.some((key) => NUMERIC.test(key))) this.#written.set(object, [...new Set(keys)]);
  }

  /** Gives an object the order of another one. */
  copyOne(from: object, to: object): void {
    if (this.#parsed.has(from)) this.#parsed.add(to);
    const keys = this.#written.get(from);
    if (keys !== undefined) this.#written.set(to, keys);
  }

  /** Gives the parts of a value the orders of those of an equal one. */
  copy(from: DeepReadonly<Json> | undefined, to: DeepReadonly<Json> | undefined): void {
    if (typeof from !== 'object' || from === null || typeof to !== 'object' || to === null) return;
    this.copyOne(from, to);
    const members: Readonly<Record<string, DeepReadonly<Json>>> = Object(to);
    for (const [key, member] of Object.entries(from)) this.copy(member, members[key]);
  }

  /** For `stringifyJsonSteps`. Numeric keys of unknown order are those of maps, which are sorted. */
  readonly of: OrderOf = (object) => {
    if (this.#parsed.has(object)) return undefined;
    const written = this.#written.get(object);
    if (written !== undefined) return written;
    const keys = Object.keys(object);
    return NUMERIC.test(keys[0] ?? '') ? undefined : keys;
  };
}
