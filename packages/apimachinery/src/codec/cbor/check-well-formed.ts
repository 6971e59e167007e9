import { DecodeError } from '../../errors/decode-error.js';
import { BREAK, halfFloat, INDEFINITE, MAJOR, majorName } from './cbor-cursor.js';

/** Maximum nesting of arrays, maps and tags, as in JSON. */
const MAX_NESTED_LEVELS = 10_000;
const MAX_ARRAY_ELEMENTS = 2_147_483_647;
const MAX_MAP_PAIRS = 2_097_152;

/** An array or map that is still open. */
interface Container {
  readonly major: number;
  readonly depth: number;
  /** Number of elements, or of keys and values; infinite where a break ends them. */
  readonly items: number;
  seen: number;
}

/**
 * Checks that bytes are exactly one well-formed CBOR data item within upstream's limits, without recursion. Returns its
 * nesting depth. Throws DecodeError with upstream's text.
 *
 * Upstream: wellformed in github.com/fxamacker/cbor/v2 with the modes of
 * k8s.io/apimachinery/pkg/runtime/serializer/cbor
 */
export function checkWellFormed(bytes: Uint8Array): number {
  if (bytes.length === 0) throw malformed('EOF');
  return new WellFormedness(bytes).check();
}

function malformed(message: string): DecodeError {
  return new DecodeError('syntax', message);
}

class WellFormedness {
  readonly #bytes: Buffer;
  readonly #open: Container[] = [];
  #at = 0;
  #deepest = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  check(): number {
    do {
      const opened = this.#item();
      if (opened === undefined) this.#countItem();
      else this.#open.push(opened);
      this.#leaveFinished();
    } while (this.#open.length > 0);
    const extra = this.#bytes.length - this.#at;
    if (extra > 0) throw malformed(`cbor: ${extra} bytes of extraneous data starting at index ${this.#at}`);
    return this.#deepest;
  }

  /** Reads one item with its tags; only the head of an array or map. */
  #item(): Container | undefined {
    let depth = this.#open.at(-1)?.depth ?? 0;
    for (let nested = false; this.#major() === MAJOR.tag; nested = true) {
      if (nested && ++depth > MAX_NESTED_LEVELS) throw tooDeep();
      const { value } = this.#head();
      this.#major();
      if (value <= 3n && value >= 2n) throw unacceptable('tag', 'bignum');
    }
    const { major, value, indefinite } = this.#head();
    if (major === MAJOR.array || major === MAJOR.map) {
      if (++depth > MAX_NESTED_LEVELS) throw tooDeep();
      this.#deepest = Math.max(this.#deepest, depth);
      return { major, depth, items: indefinite ? Number.POSITIVE_INFINITY : itemsOf(major, value), seen: 0 };
    }
    if (major === MAJOR.bytes || major === MAJOR.text) {
      if (indefinite) this.#chunks(major);
      else this.#skipString(major, value);
    }
    return undefined;
  }

  #countItem(): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    container.seen++;
    if (container.items === Number.POSITIVE_INFINITY && container.major === MAJOR.map) {
      itemsOf(MAJOR.map, Math.floor(container.seen / 2));
    }
  }

  #leaveFinished(): void {
    for (let top = this.#open.at(-1); top !== undefined; top = this.#open.at(-1)) {
      if (!this.#isFinished(top)) return;
      this.#open.pop();
      this.#countItem();
    }
  }

  #isFinished({ major, items, seen }: Container): boolean {
    if (items !== Number.POSITIVE_INFINITY) return seen === items;
    this.#major();
    if (this.#bytes[this.#at] !== BREAK) return false;
    this.#at++;
    if (major === MAJOR.map && seen % 2 === 1) throw malformed('cbor: unexpected "break" code');
    return true;
  }

  #chunks(major: number): void {
    const name = majorName(major);
    for (;;) {
      const next = this.#major();
      const first = this.#bytes[this.#at] as number;
      if (first === BREAK) break;
      if (next !== major) {
        throw malformed(`cbor: wrong element type ${majorName(next)} for indefinite-length ${name}`);
      }
      if ((first & 0x1f) === INDEFINITE) {
        throw malformed(`cbor: indefinite-length ${name} chunk is not definite-length`);
      }
      this.#skipString(major, this.#head().value);
    }
    this.#at++;
  }

  #skipString(major: number, length: number | bigint): void {
    if (length >= 2n ** 63n) {
      throw malformed(`cbor: ${majorName(major)} length ${length} is too large, causing integer overflow`);
    }
    if (this.#bytes.length - this.#at < length) throw malformed('unexpected EOF');
    this.#at += Number(length);
  }

  /** The major type of the next item. Throws at the end of the bytes. */
  #major(): number {
    if (this.#at >= this.#bytes.length) throw malformed('unexpected EOF');
    return (this.#bytes[this.#at] as number) >> 5;
  }

  #head(): { readonly major: number; readonly value: number | bigint; readonly indefinite: boolean } {
    const major = this.#major();
    const info = (this.#bytes[this.#at++] as number) & 0x1f;
    if (info < 24) return { major, value: info, indefinite: false };
    if (info < 28) return { major, value: this.#argument(major, info), indefinite: false };
    if (info === INDEFINITE && major === MAJOR.primitive) throw malformed('cbor: unexpected "break" code');
    if (info === INDEFINITE && major >= MAJOR.bytes && major <= MAJOR.map) return { major, value: 0, indefinite: true };
    throw malformed(`cbor: invalid additional information ${info} for type ${majorName(major)}`);
  }

  #argument(major: number, info: number): number | bigint {
    const size = 1 << (info - 24);
    const start = this.#at;
    if (this.#bytes.length - start < size) throw malformed('unexpected EOF');
    this.#at += size;
    if (major === MAJOR.primitive) this.#checkPrimitive(start, size);
    return size < 8 ? this.#bytes.readUIntBE(start, size) : this.#bytes.readBigUInt64BE(start);
  }

  #checkPrimitive(start: number, size: number): void {
    const bytes = this.#bytes;
    if (size === 1) {
      const value = bytes[start] as number;
      if (value < 32) throw malformed(`cbor: invalid simple value ${value} for type primitives`);
      return;
    }
    const float = size === 8 ? bytes.readDoubleBE(start) : size === 4 ? bytes.readFloatBE(start) : undefined;
    const value = float ?? halfFloat(bytes.readUInt16BE(start));
    if (Number.isNaN(value)) throw unacceptable('primitives', 'floating-point NaN');
    if (!Number.isFinite(value)) throw unacceptable('primitives', 'floating-point infinity');
  }
}

/** Number of items in an array or map with this count of elements or pairs. */
function itemsOf(major: number, count: number | bigint): number {
  if (count >= 2n ** 63n) {
    throw malformed(`cbor: ${majorName(major)} length ${count} is too large, it would cause integer overflow`);
  }
  if (major === MAJOR.array && count > MAX_ARRAY_ELEMENTS) {
    throw malformed(`cbor: exceeded max number of elements ${MAX_ARRAY_ELEMENTS} for CBOR array`);
  }
  if (major === MAJOR.map && count > MAX_MAP_PAIRS) {
    throw malformed(`cbor: exceeded max number of key-value pairs ${MAX_MAP_PAIRS} for CBOR map`);
  }
  return major === MAJOR.map ? Number(count) * 2 : Number(count);
}

function tooDeep(): DecodeError {
  return malformed(`cbor: exceeded max nested level ${MAX_NESTED_LEVELS}`);
}

/** The error of an item that upstream's profile of CBOR rejects. */
export function unacceptable(type: string, what: string): DecodeError {
  return new DecodeError('syntax', `cbor: data item of cbor type ${type} is not accepted by protocol: ${what}`);
}
