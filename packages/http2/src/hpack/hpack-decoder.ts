import { DEFAULT_TABLE_SIZE, Http2Code, Http2Error } from '../frames/frame-types.js';
import { type DecodedText, huffmanDecoder, newDecodedText } from './huffman.js';
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
  /** Bytes of the fields of the block so far, and whether there are any. */
  #listBytes = 0;
  #hasFields = false;
  /** Bytes of a field that the last fragment has left incomplete. */
  readonly #unfinished = new UnfinishedBytes();
  /** The beginning of the field in `#bytes`. */
  #begin = 0;
  /** The texts of an incomplete field by their offset in it, so that no fragment reads a long one again. */
  #texts: Map<number, DecodedText | string> | undefined = undefined;

  /**
   * `maxListBytes`: limit for all fields of a block, each counted with 32 more bytes, and for the length of a text. One
   * byte may stand for a large field.
   */
  constructor(maxListBytes = MAX_LIST_BYTES) {
    this.#maxListBytes = maxListBytes;
  }

  /** Decodes a whole block, as `write` and `finish` do. */
  decode(block: Uint8Array, field: (field: HeaderField) => void): boolean {
    this.write(block, field);
    return this.finish();
  }

  /**
   * Decodes the next fragment of a block. The fields beyond the limit are decoded but not passed on. Throws Http2Error,
   * also for a fragment after the limit. Upstream: readMetaFrame of golang.org/x/net/http2
   */
  write(fragment: Uint8Array, field: (field: HeaderField) => void): void {
    if (fragment.length > 2 * Math.max(0, this.#maxListBytes - this.#listBytes)) {
      throw new Http2Error(Http2Code.protocolError, 'a header block is too large');
    }
    this.#bytes = this.#unfinished.joined(fragment);
    this.#at = 0;
    try {
      this.#readFields(field);
      this.#unfinished.clear();
    } catch (error) {
      if (!(error instanceof IncompleteField)) throw error;
      this.#unfinished.keep(this.#bytes, this.#begin);
    }
  }

  /** Ends the block. Returns false if it exceeded the limit. Throws Http2Error for an incomplete field. */
  finish(): boolean {
    if (this.#unfinished.length > 0) throw new IncompleteField();
    const isWhole = this.#listBytes <= this.#maxListBytes;
    this.#listBytes = 0;
    this.#hasFields = false;
    return isWhole;
  }

  #readFields(field: (field: HeaderField) => void): void {
    while (this.#at < this.#bytes.length) {
      this.#begin = this.#at;
      const next = this.#next(this.#bytes[this.#at] as number);
      if (next === undefined && this.#hasFields) throw malformed('a table size update follows a header');
      if (next === undefined) continue;
      this.#texts = undefined;
      this.#hasFields = true;
      this.#listBytes += next.name.length + next.value.length + FIELD_OVERHEAD;
      if (this.#listBytes <= this.#maxListBytes) field(next);
    }
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
    if (length > this.#maxListBytes) throw malformed('a header is too long');
    const begin = this.#at;
    const end = begin + length;
    this.#at = end;
    if (end > this.#bytes.length || this.#texts !== undefined) return this.#textInParts(begin, end, isHuffman);
    if (isHuffman) return huffmanDecoder().decode(this.#bytes, begin, end, this.#maxListBytes);
    return this.#bytes.toString('latin1', begin, end);
  }

  #textInParts(begin: number, end: number, isHuffman: boolean): string {
    this.#texts ??= new Map();
    const offset = begin - this.#begin;
    const known = this.#texts.get(offset);
    if (typeof known === 'string') return known;
    const isLast = end <= this.#bytes.length;
    let whole: string | undefined;
    if (isHuffman) {
      const text = known ?? newDecodedText(this.#maxListBytes);
      this.#texts.set(offset, text);
      huffmanDecoder().decodePart(text, this.#bytes, { begin, end: isLast ? end : this.#bytes.length, isLast });
      if (isLast) whole = text.bytes.toString('latin1', 0, text.size);
    } else if (isLast) whole = this.#bytes.toString('latin1', begin, end);
    if (whole === undefined) throw new IncompleteField();
    this.#texts.set(offset, whole);
    return whole;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new IncompleteField();
    return byte;
  }
}

/** The bytes end within a field. */
class IncompleteField extends Http2Error {
  constructor() {
    super(Http2Code.compressionError, 'a header is truncated');
  }
}

/** Bytes to which others are added. Their copy grows by doubling, so that many short fragments cost no more than few. */
class UnfinishedBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The kept bytes and others; a view that is valid until the next call. */
  joined(more: Uint8Array): Buffer {
    if (this.#length === 0) return Buffer.from(more.buffer, more.byteOffset, more.length);
    const length = this.#length + more.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(2 * length);
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    this.#buffer.set(more, this.#length);
    return this.#buffer.subarray(0, length);
  }

  /** Keeps the last result of `joined` from an offset on. */
  keep(joined: Buffer, begin: number): void {
    const isOwn = this.#length > 0 && begin === 0;
    if (!isOwn) this.#buffer = Buffer.from(joined.subarray(begin));
    this.#length = joined.length - begin;
  }

  clear(): void {
    if (this.#length === 0) return;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + FIELD_OVERHEAD;
}

function malformed(message: string): Http2Error {
  return new Http2Error(Http2Code.compressionError, message);
}
