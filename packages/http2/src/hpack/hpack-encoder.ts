import { EncoderTable } from './encoder-table.js';
import { isControl, isFieldName } from './field-syntax.js';
import { FIELD_OVERHEAD, staticTable } from './static-table.js';

/** Size of the dynamic table. A larger one is not worth its memory, even where the peer allows it. */
const TABLE_BYTES = 4096;
/** Number of names whose history an encoder keeps. */
const MAX_NAMES = 64;
/** Number of values per name that an encoder looks for in the table. */
const MAX_VALUES = 4;
/** Longest value that is put into the table. */
const MAX_REMEMBERED = 256;
/** Size of the buffer for blocks. Larger blocks get a buffer of their own. */
const SCRATCH_BYTES = 1024;

/** Upper limit for the integers before a name and a value. */
const LENGTHS_BYTES = 18;

const INDEXED = 0x80;
const REMEMBERED = 0x40;
const RESIZED = 0x20;
const NEVER_INDEXED = 0x10;
const LITERAL = 0;

/**
 * The encoding of the values of a name. `repeats`: they may repeat. `unique`: indexing them is useless. `secret`:
 * they must never be indexed. `surplus`: there is no memory left for the history of this name.
 */
type Kind = 'repeats' | 'unique' | 'secret' | 'surplus';

/** A value that was put into the table of the peer. */
interface SentValue {
  readonly value: string;
  /** Its number in the table, which may have evicted it since. */
  readonly field: number;
}

interface KnownName {
  readonly name: string;
  readonly kind: Kind;
  /** Index in the static table; 0: none. */
  readonly index: number;
  /** The newest field with this name in the table of the peer, which may have evicted it since. */
  field: number;
  /** At most MAX_VALUES; the one at `nextValue` is replaced next. */
  readonly values: SentValue[];
  nextValue: number;
  /** The last two values that were not indexed. A value that repeats is indexed. */
  last: string | undefined;
  beforeLast: string | undefined;
}

/**
 * Encodes the header blocks of the responses of a connection, all of which must be sent in order. A value that comes a
 * second time is put into the table of the peer and then costs a byte or two. Other values are literals. Nothing is
 * Huffman-coded: the few bytes are cheaper to send. The memory of an encoder is bounded.
 *
 * Fields that HTTP does not allow are omitted, as upstream does: an invalid name, or a control character in a value.
 * Upstream: RFC 7541; encodeHeaders in golang.org/x/net/http2/write.go
 */
export class HpackEncoder {
  readonly #table = new EncoderTable(TABLE_BYTES);
  readonly #names = new Map<string, KnownName>();
  #bytes = new Uint8Array(SCRATCH_BYTES);
  #at = 0;
  /** Size that the table of the peer is to have. */
  #tableSize = TABLE_BYTES;
  /** Smallest size that was set since the last block; undefined: none. */
  #smallest: number | undefined = undefined;

  /** SETTINGS_HEADER_TABLE_SIZE of the peer, in bytes. Call it before the settings are acknowledged. */
  setTableSize(bytes: number): void {
    const size = Math.min(bytes, TABLE_BYTES);
    if (size === this.#tableSize) return;
    this.#smallest = Math.min(this.#smallest ?? this.#tableSize, size);
    this.#tableSize = size;
  }

  /**
   * The header block of a response. Names are in lower case; characters stand for bytes. The returned bytes may change
   * with the next call.
   */
  encode(status: number, fields: Iterable<readonly [name: string, value: string | readonly string[]]>): Uint8Array {
    this.begin();
    this.status(status);
    for (const [name, value] of fields) {
      if (typeof value === 'string') this.field(name, value);
      else for (const each of value) this.field(name, each);
    }
    return this.end();
  }

  /** Begins a block field by field: then call `status`, any number of `field`, and `end`. */
  begin(): void {
    this.#at = 0;
    if (this.#smallest !== undefined) this.#announceSize(this.#smallest);
  }

  /** Ends the block. The returned bytes may change with the next one. */
  end(): Uint8Array {
    const block = this.#bytes.subarray(0, this.#at);
    if (this.#bytes.length > SCRATCH_BYTES) this.#bytes = new Uint8Array(SCRATCH_BYTES);
    return block;
  }

  /** Upstream: RFC 7541, appendix A */
  status(status: number): void {
    if (status === 200) this.#byte(INDEXED | 8);
    else if (status === 404) this.#byte(INDEXED | 13);
    else if (status === 204) this.#byte(INDEXED | 9);
    else if (status === 206) this.#byte(INDEXED | 10);
    else if (status === 304) this.#byte(INDEXED | 11);
    else if (status === 400) this.#byte(INDEXED | 12);
    else if (status === 500) this.#byte(INDEXED | 14);
    else this.field(':status', String(status));
  }

  field(name: string, value: string): void {
    const known = this.#names.get(name) ?? this.#learn(name);
    if (known === undefined) return;
    const field = known.kind === 'repeats' ? this.#find(known, value) : undefined;
    if (field !== undefined) this.#integer(INDEXED, 7, this.#table.indexOf(field));
    else if (this.#isWorthIt(known, value)) this.#remember(known, value);
    else this.#literal(known, value, known.kind === 'secret' ? NEVER_INDEXED : LITERAL);
  }

  /** The smallest size in between is sent first. Upstream: RFC 7541, section 4.2 */
  #announceSize(smallest: number): void {
    this.#smallest = undefined;
    this.#table.resize(smallest);
    if (smallest < this.#tableSize) this.#integer(RESIZED, 5, smallest);
    this.#table.resize(this.#tableSize);
    this.#integer(RESIZED, 5, this.#tableSize);
  }

  /** Undefined for an invalid name. */
  #learn(name: string): KnownName | undefined {
    if (name !== ':status' && !isFieldName(name)) return undefined;
    const isSurplus = this.#names.size >= MAX_NAMES;
    const known: KnownName = {
      name,
      kind: isSurplus ? 'surplus' : kindOf(name),
      index: staticTable().findIndex((field) => field.name === name) + 1,
      field: -1,
      values: [],
      nextValue: 0,
      last: undefined,
      beforeLast: undefined,
    };
    if (!isSurplus) this.#names.set(name, known);
    return known;
  }

  #find(known: KnownName, value: string): number | undefined {
    for (const sent of known.values) {
      if (sent.value === value) return this.#table.has(sent.field) ? sent.field : undefined;
    }
    return undefined;
  }

  /** True also for the first value of a name that is in no table: from then on the name costs a byte or two. */
  #isWorthIt(known: KnownName, value: string): boolean {
    if (known.kind === 'secret' || known.kind === 'surplus') return false;
    if (value.length > MAX_REMEMBERED || sizeOf(known.name, value) > this.#table.max) return false;
    if (known.index === 0 && !this.#table.has(known.field)) return true;
    if (known.kind === 'unique') return false;
    if (value === known.last || value === known.beforeLast) return true;
    known.beforeLast = known.last;
    known.last = value;
    return false;
  }

  #remember(known: KnownName, value: string): void {
    if (!this.#literal(known, value, REMEMBERED)) return;
    known.field = this.#table.add(sizeOf(known.name, value));
    if (known.kind !== 'repeats') return;
    const same = known.values.findIndex((sent) => sent.value === value);
    const at = same < 0 ? known.nextValue++ % MAX_VALUES : same;
    known.values[at] = { value, field: known.field };
  }

  /** Returns false for an invalid value, and writes nothing. */
  #literal(known: KnownName, value: string, form: number): boolean {
    const begin = this.#at;
    this.#reserve(known.name.length + value.length + LENGTHS_BYTES);
    const index = known.index === 0 && this.#table.has(known.field) ? this.#table.indexOf(known.field) : known.index;
    this.#integer(form, form === REMEMBERED ? 6 : 4, index);
    if (index === 0) this.#text(known.name);
    if (this.#text(value)) return true;
    this.#at = begin;
    return false;
  }

  #text(value: string): boolean {
    const { length } = value;
    this.#integer(0, 7, length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < length; index++) {
      const char = value.charCodeAt(index);
      if (isControl(char)) return false;
      bytes[at++] = char;
    }
    this.#at = at;
    return true;
  }

  /** An integer whose prefix is the last `prefix` bits of a byte. Upstream: RFC 7541, section 5.1 */
  #integer(form: number, prefix: number, value: number): void {
    const most = (1 << prefix) - 1;
    if (value < most) {
      this.#byte(form | value);
      return;
    }
    this.#byte(form | most);
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80);
    this.#byte(rest);
  }

  #byte(byte: number): void {
    if (this.#at === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at + bytes));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

function kindOf(name: string): Kind {
  switch (name) {
    case 'set-cookie':
    case 'authorization':
    case 'proxy-authorization':
      return 'secret';
    case 'audit-id':
    case 'content-length':
    case 'etag':
    case 'location':
      return 'unique';
    default:
      return 'repeats';
  }
}

function sizeOf(name: string, value: string): number {
  return name.length + value.length + FIELD_OVERHEAD;
}
