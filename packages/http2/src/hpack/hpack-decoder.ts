import { DEFAULT_TABLE_SIZE, Http2Code, Http2Error } from '../frames/frame-types.js';
import { huffmanDecoder } from './huffman.js';
import { FIELD_OVERHEAD, type HeaderField, staticTable } from './static-table.js';

/** Default limit for the fields of a block. A single byte may stand for a field as large as the table. */
const MAX_LIST_BYTES = 256 * 1024;

/** Largest number of fields in the dynamic table: each counts at least 32 bytes. */
const SLOTS = DEFAULT_TABLE_SIZE / FIELD_OVERHEAD;

/**
 * Decodes the header blocks of a connection. It must get all of them, in order, because a block may refer to earlier
 * ones. The characters of decoded text stand for bytes.
 */
export class HpackDecoder {
  readonly #static = staticTable();
  /** The dynamic table as a ring: `#added` counts the fields so far, `#oldest` those that are evicted. */
  readonly #dynamic: (HeaderField | undefined)[] = [];
  #added = 0;
  #oldest = 0;
  #dynamicBytes = 0;
  readonly #maxListBytes: number;
  #maxBytes = DEFAULT_TABLE_SIZE;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  /**
   * `maxListBytes`: limit for all fields of a block, each counted with 32 more bytes. One byte may stand for a large
   * field.
   */
  constructor(maxListBytes = MAX_LIST_BYTES) {
    this.#maxListBytes = maxListBytes;
  }

  /**
   * Decodes a block. Returns false when it exceeds the limit; the fields beyond it are decoded but not passed on.
   * Throws Http2Error.
   */
  decode(block: Uint8Array, field: (field: HeaderField) => void): boolean {
    this.#bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
    this.#at = 0;
    let bytes = 0;
    let hasFields = false;
    while (this.#at < block.length) {
      const next = this.#next(block[this.#at] as number);
      if (next === undefined && hasFields) throw malformed('a table size update follows a header');
      if (next === undefined) continue;
      hasFields = true;
      bytes += next.name.length + next.value.length + FIELD_OVERHEAD;
      if (bytes <= this.#maxListBytes) field(next);
    }
    return bytes <= this.#maxListBytes;
  }

  /** Decodes a field; undefined for an instruction that only changes the table. */
  #next(first: number): HeaderField | undefined {
    if (first >= 0x80) return this.#indexed(this.#integer(7));
    if (first >= 0x40) return this.#remember(this.#literal(6));
    if (first < 0x20) return this.#literal(4);
    this.#resize(this.#integer(5));
    return undefined;
  }

  #literal(prefix: number): HeaderField {
    const index = this.#integer(prefix);
    const name = index === 0 ? this.#text() : this.#indexed(index).name;
    return { name, value: this.#text() };
  }

  #indexed(index: number): HeaderField {
    const known = this.#static.length;
    const field = index <= known ? this.#static[index - 1] : this.#dynamicField(this.#added - (index - known));
    if (field === undefined) throw malformed(`there is no table entry ${index}`);
    return field;
  }

  /** The field with a number, counted from the first one that was added. */
  #dynamicField(number: number): HeaderField | undefined {
    return number < this.#oldest ? undefined : this.#dynamic[number % SLOTS];
  }

  #remember(field: HeaderField): HeaderField {
    const size = sizeOf(field);
    this.#evict(this.#maxBytes - size);
    // A field larger than the table only empties it.
    if (size > this.#maxBytes) return field;
    this.#dynamic[this.#added++ % SLOTS] = field;
    this.#dynamicBytes += size;
    return field;
  }

  #resize(bytes: number): void {
    if (bytes > DEFAULT_TABLE_SIZE) throw malformed('the header table exceeds its maximum');
    this.#maxBytes = bytes;
    this.#evict(bytes);
  }

  #evict(toBytes: number): void {
    while (this.#dynamicBytes > toBytes && this.#oldest < this.#added) {
      const slot = this.#oldest++ % SLOTS;
      const oldest = this.#dynamic[slot];
      if (oldest !== undefined) this.#dynamicBytes -= sizeOf(oldest);
      this.#dynamic[slot] = undefined;
    }
  }

  /** An integer whose prefix is the last `prefix` bits of a byte. */
  #integer(prefix: number): number {
    const most = (1 << prefix) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw malformed('an integer of a header is too large');
  }

  /** Each character stands for one byte. */
  #text(): string {
    const isHuffman = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const begin = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw malformed('a header is truncated');
    if (isHuffman) return huffmanDecoder().decode(this.#bytes, begin, this.#at);
    return this.#bytes.toString('latin1', begin, this.#at);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed('a header is truncated');
    return byte;
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + FIELD_OVERHEAD;
}

function malformed(message: string): Http2Error {
  return new Http2Error(Http2Code.compressionError, message);
}
