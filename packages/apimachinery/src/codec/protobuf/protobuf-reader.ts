import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { DecodeError } from '../../errors/decode-error.js';
import type { Members } from '../canonical/canonical-context.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';

/** Cost of a value that JSON always writes. A field costs 1, because JSON omits it where it is zero. */
export const VALUE_COST = 4;

/** Bytes of a number of 64 bits. */
const MAX_NUMBER_BYTES = 10;
/** Bytes of a tag that upstream looks at: 35 bits. */
const TAG_BYTES = 5;
const MAX_FIELD = 2 ** 31 - 1;
/** Bytes that are read between two pauses: a few milliseconds of work, even if each field takes two of them. */
const SLICE_BYTES = 16 * 1024;
/** Size from which a nested message is read in steps. The bytes of smaller ones count for the next pause. */
const LARGE_MESSAGE = 4 * 1024;

function wireTypeOf(tag: number): WireType {
  return (tag % 8) as WireType;
}

/** Throws a DecodeError for a part of a value that has another wire type. */
export function expectWireType(actual: WireType, expected: WireType, field: string): void {
  if (actual !== expected) throw new DecodeError('syntax', `proto: wrong wireType = ${actual} for field ${field}`);
}

/**
 * The wire library's reader with fast paths. Nested messages are read in place, up to an end, and text is sliced out of
 * one buffer. Ill-formed UTF-8 reads as U+FFFD, as it would appear in JSON. Throws RangeError at the end of the bytes.
 */
export class ProtobufReader {
  readonly wire: BinaryReader;
  /** Maps into which a later piece of their message was merged; their members may be out of order. */
  reopened: Set<Members> | undefined = undefined;
  /** True for a client's message, which may be refused; a stored one is read whatever it has. */
  readonly isSent: boolean;
  readonly #buffer: Buffer;
  #left: number;
  /** Position up to which the next pause can wait. */
  #sliceEnd = SLICE_BYTES;

  /** `maxValues` is the budget of `spend`; undefined for a stored message. */
  constructor(bytes: Uint8Array, maxValues: number | undefined) {
    this.isSent = maxValues !== undefined;
    this.#left = VALUE_COST * (maxValues ?? Number.POSITIVE_INFINITY);
    this.wire = new BinaryReader(bytes);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws a DecodeError once the budget is exceeded. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new DecodeError('values', 'proto: too many values');
  }

  /** End of the length-delimited value at the cursor. */
  end(): number {
    const length = this.#number(MAX_NUMBER_BYTES);
    const end = this.wire.pos + length;
    if (end > this.wire.len) throw new RangeError('premature EOF');
    return end;
  }

  string(): string {
    const end = this.end();
    const start = this.wire.pos;
    this.wire.pos = end;
    return end - start < 24 ? this.#shortString(start, end) : this.#buffer.toString('utf8', start, end);
  }

  bytes(): Buffer {
    const { start, end } = this.skipped();
    return this.#buffer.subarray(start, end);
  }

  /** Skips bytes, and tells where they are. */
  skipped(): { readonly start: number; readonly end: number } {
    const end = this.end();
    const start = this.wire.pos;
    this.wire.pos = end;
    return { start, end };
  }

  base64(): string {
    return this.bytes().toString('base64');
  }

  /**
   * Calls `read` for each field up to `end`; fields for which it returns false are skipped. An entry of a map may have
   * fields of any number, as upstream takes them.
   */
  fields(end: number, read: (field: number, wireType: WireType) => boolean, isEntry = false): void {
    while (this.wire.pos < end) {
      const tag = this.#tag(isEntry);
      const field = Math.floor(tag / 8);
      const wireType = wireTypeOf(tag);
      if (!read(field, wireType)) this.#skip(field, wireType);
    }
    if (this.wire.pos > end) throw new RangeError('premature EOF');
  }

  /** The same in steps. `read` may also return the steps that read the field. */
  *fieldSteps(
    end: number,
    read: (field: number, wireType: WireType) => boolean | DecodingSteps<void>,
    isEntry = false,
  ): DecodingSteps<void> {
    while (this.wire.pos < end) {
      if (this.wire.pos >= this.#sliceEnd) {
        this.#sliceEnd = this.wire.pos + SLICE_BYTES;
        yield;
      }
      const tag = this.#tag(isEntry);
      const field = Math.floor(tag / 8);
      const wireType = wireTypeOf(tag);
      const taken = read(field, wireType);
      if (typeof taken === 'object') yield* taken;
      else if (!taken) this.#skip(field, wireType);
    }
    if (this.wire.pos > end) throw new RangeError('premature EOF');
  }

  /** Reports whether the length-delimited value at the cursor should be read in steps. */
  isLarge(): boolean {
    const { pos } = this.wire;
    const length = this.#number(MAX_NUMBER_BYTES);
    this.wire.pos = pos;
    return length >= LARGE_MESSAGE;
  }

  #tag(isEntry: boolean): number {
    this.spend(1);
    const tag = this.#number(TAG_BYTES);
    // Field 0, or one above MAX_FIELD.
    if (!isEntry && (tag < 8 || tag >= (MAX_FIELD + 1) * 8)) {
      throw new RangeError(`illegal tag: field no ${Math.floor(tag / 8)}`);
    }
    return tag;
  }

  #skip(field: number, wireType: WireType): void {
    // The wire library cuts lengths to 32 bits.
    if (wireType === WireType.LengthDelimited) this.wire.pos = this.end();
    else this.wire.skip(wireType, field);
  }

  /** A number of up to ten bytes, as upstream takes it where fewer are enough. The bytes behind `counted` are ignored. */
  #number(counted: number): number {
    const { wire } = this;
    let value = 0;
    let scale = 1;
    for (let i = 0; i < MAX_NUMBER_BYTES; i++) {
      const byte = this.#buffer[wire.pos++];
      if (byte === undefined) throw new RangeError('premature EOF');
      if (i < counted) value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new DecodeError('syntax', 'proto: integer overflow');
  }

  /** A call into native code costs more than joining a few ASCII characters. */
  #shortString(start: number, end: number): string {
    const buffer = this.#buffer;
    let text = '';
    for (let i = start; i < end; i++) {
      const c = buffer[i] as number;
      if (c >= 0x80) return buffer.toString('utf8', start, end);
      text += String.fromCharCode(c);
    }
    return text;
  }
}
