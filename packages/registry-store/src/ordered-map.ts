import { type KeyLess, lessFor } from './key-order.js';

const MAX_CHUNK = 256;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map in key order (UTF-8 bytes), as a sorted list of sorted chunks. With 100,000 keys an insertion moves at most a
 * chunk and sometimes the list of about 500 chunks. This takes a microsecond, where one sorted array would move 100,000
 * slots.
 */
export class OrderedMap<V> {
  readonly #chunks: Chunk<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const less = lessFor(key);
    const chunk = this.#chunks[this.#chunkFor(key, less)];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.keys, key, less);
    return chunk.keys[at] === key ? chunk.values[at] : undefined;
  }

  /** Returns the previous value. */
  set(key: string, value: V): V | undefined {
    const less = lessFor(key);
    const index = Math.max(0, this.#chunkFor(key, less));
    const chunk = this.#chunks[index] ?? this.#firstChunk();
    const at = lowerBound(chunk.keys, key, less);
    if (chunk.keys[at] === key) {
      const before = chunk.values[at];
      chunk.values[at] = value;
      return before;
    }
    insertAt(chunk.keys, at, key);
    insertAt(chunk.values, at, value);
    this.#size++;
    if (chunk.keys.length > MAX_CHUNK) this.#split(index, chunk, at);
    return undefined;
  }

  /** Returns the previous value. */
  delete(key: string): V | undefined {
    const less = lessFor(key);
    const index = this.#chunkFor(key, less);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.keys, key, less);
    if (chunk.keys[at] !== key) return undefined;
    const before = chunk.values[at];
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.#size--;
    if (chunk.keys.length === 0) this.#chunks.splice(index, 1);
    return before;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#size = 0;
  }

  /** Up to `limit` values from `start` (inclusive) to `end` (exclusive): a copy, unaffected by later changes. */
  values(start: string, end: string, limit = Number.POSITIVE_INFINITY): V[] {
    const result: V[] = [];
    const lessThanEnd = lessFor(end);
    let [index, at] = this.#position(start);
    for (; index < this.#chunks.length && result.length < limit; index++, at = 0) {
      const chunk = this.#chunks[index] as Chunk<V>;
      const stop = lowerBound(chunk.keys, end, lessThanEnd);
      const until = Math.min(stop, at + limit - result.length);
      for (; at < until; at++) result.push(chunk.values[at] as V);
      if (stop < chunk.keys.length) break;
    }
    return result;
  }

  /** Number of keys from `start` (inclusive) to `end` (exclusive). */
  count(start: string, end: string): number {
    const [first, from] = this.#position(start);
    const [last, to] = this.#position(end);
    let count = to - from;
    for (let i = first; i < last; i++) count += (this.#chunks[i] as Chunk<V>).keys.length;
    return count;
  }

  /** Chunk and slot of the first key at or after `key`. */
  #position(key: string): [chunk: number, slot: number] {
    const less = lessFor(key);
    const index = Math.max(0, this.#chunkFor(key, less));
    const chunk = this.#chunks[index];
    return [index, chunk === undefined ? 0 : lowerBound(chunk.keys, key, less)];
  }

  /** The last chunk whose first key is not after `key`; -1 if there is none. */
  #chunkFor(key: string, less: KeyLess): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (less(key, this.#chunks[middle]?.keys[0] as string)) high = middle;
      else low = middle + 1;
    }
    return this.#chunks.length === 0 ? -1 : low - 1;
  }

  #firstChunk(): Chunk<V> {
    const chunk: Chunk<V> = { keys: [], values: [] };
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Splits at the middle, or at the end when keys come in order, so that a sorted load leaves full chunks. */
  #split(index: number, chunk: Chunk<V>, at: number): void {
    const cut = at === chunk.keys.length - 1 ? MAX_CHUNK : MAX_CHUNK >>> 1;
    this.#chunks.splice(index + 1, 0, { keys: chunk.keys.splice(cut), values: chunk.values.splice(cut) });
  }
}

/** Appending is the common case of a sorted load, and splice is several times slower than push. */
function insertAt<E>(list: E[], at: number, element: E): void {
  if (at === list.length) list.push(element);
  else list.splice(at, 0, element);
}

function lowerBound(keys: readonly string[], key: string, less: KeyLess): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (less(keys[middle] as string, key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
