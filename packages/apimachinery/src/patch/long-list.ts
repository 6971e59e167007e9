import type { Json } from '../types/json.js';

/** Number of elements in a new part; a part is split at twice as many. */
const PART = 512;

/**
 * A list with cheap insertion and removal at any index: it is kept in parts of some hundred elements. A patch may have
 * 10,000 insertions at the head of a list of 1.5 million elements, each of which would move all of them.
 */
export class LongList {
  readonly #parts: Json[][] = [];
  #length: number;

  constructor(items: readonly Json[]) {
    this.#length = items.length;
    for (let i = 0; i < items.length; i += PART) this.#parts.push(items.slice(i, i + PART));
    if (this.#parts.length === 0) this.#parts.push([]);
  }

  get length(): number {
    return this.#length;
  }

  /** `index` must be valid. */
  at(index: number): Json | undefined {
    const { part, offset } = this.#find(index);
    return part[offset];
  }

  /** `index` must be valid. */
  set(index: number, value: Json): void {
    const { part, offset } = this.#find(index);
    part[offset] = value;
  }

  /** `index` must be valid, or the length. */
  insert(index: number, value: Json): void {
    const { at, part, offset } = this.#find(index);
    part.splice(offset, 0, value);
    this.#length++;
    if (part.length >= 2 * PART) this.#parts.splice(at + 1, 0, part.splice(PART));
  }

  /** `index` must be valid. */
  remove(index: number): void {
    const { at, part, offset } = this.#find(index);
    part.splice(offset, 1);
    this.#length--;
    if (part.length === 0 && this.#parts.length > 1) this.#parts.splice(at, 1);
  }

  *[Symbol.iterator](): Generator<Json> {
    for (const part of this.#parts) yield* part;
  }

  /** Replaces the content of `list` by the elements. */
  writeTo(list: Json[]): void {
    list.length = this.#length;
    let i = 0;
    for (const part of this.#parts) for (const value of part) list[i++] = value;
  }

  /** The part of an index, and the offset in it. An index beyond the end belongs to the last part. */
  #find(index: number): { readonly at: number; readonly part: Json[]; readonly offset: number } {
    let offset = index;
    let at = 0;
    let part = this.#parts[0] as Json[];
    while (offset >= part.length && at < this.#parts.length - 1) {
      offset -= part.length;
      part = this.#parts[++at] as Json[];
    }
    return { at, part, offset };
  }
}
