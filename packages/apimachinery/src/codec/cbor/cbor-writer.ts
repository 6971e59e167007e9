import { MAJOR } from './cbor-cursor.js';

const FIRST_SIZE = 1024;

/** Writes CBOR data items one after the other into growing memory. Texts are byte strings, as upstream writes them. */
export class CborWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #length = 0;

  /** Returns the written bytes: a view of the writer's memory, which is not written again. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The head of an item: a length, a count, a tag. */
  head(major: number, argument: number | bigint): void {
    this.#reserve(9);
    const first = major << 5;
    if (argument < 24) this.#byte(first | Number(argument));
    else if (argument < 0x100) {
      this.#byte(first | 24);
      this.#byte(Number(argument));
    } else if (argument < 0x1_0000) {
      this.#byte(first | 25);
      this.#length = this.#buffer.writeUInt16BE(Number(argument), this.#length);
    } else if (argument < 0x1_0000_0000) {
      this.#byte(first | 26);
      this.#length = this.#buffer.writeUInt32BE(Number(argument), this.#length);
    } else {
      this.#byte(first | 27);
      this.#length = this.#buffer.writeBigUInt64BE(BigInt(argument), this.#length);
    }
  }

  /** A text as a byte string. Lone surrogates become U+FFFD. */
  text(text: string): void {
    const size = Buffer.byteLength(text);
    this.head(MAJOR.bytes, size);
    this.#reserve(size);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  /** Writes one or more items that are already encoded. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  boolean(value: boolean): void {
    this.head(MAJOR.primitive, value ? 21 : 20);
  }

  null(): void {
    this.head(MAJOR.primitive, 22);
  }

  /** A whole number of 64 bits. */
  integer(value: number | bigint): void {
    if (value >= 0) this.head(MAJOR.unsigned, value);
    else this.head(MAJOR.negative, typeof value === 'bigint' ? -1n - value : -1 - value);
  }

  /** A number in the shortest of the three float forms that keeps its value. */
  float(value: number): void {
    this.#reserve(9);
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset + this.#length, 9);
    const size = Math.f16round(value) === value ? 2 : Math.fround(value) === value ? 4 : 8;
    if (size === 2) view.setFloat16(1, value);
    else if (size === 4) view.setFloat32(1, value);
    else view.setFloat64(1, value);
    view.setUint8(0, (MAJOR.primitive << 5) | { 2: 25, 4: 26, 8: 27 }[size]);
    this.#length += 1 + size;
  }

  #byte(value: number): void {
    this.#buffer[this.#length++] = value;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
