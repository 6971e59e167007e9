import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { DecodeError } from '../../errors/decode-error.js';
import type { Members } from '../canonical/canonical-context.js';

/** Cost of a value that JSON always writes. A field costs 1, for JSON leaves it out where it is zero. */
export const VALUE_COST = 4;

/**
 * The wire library's reader with what its plain interface makes slow: nested messages are read in place, up to an end,
 * and text is sliced out of one buffer. UTF-8 that is not well-formed reads as U+FFFD, as it would come out in JSON.
 * Throws RangeError at the end of the bytes.
 */
export class ProtobufReader {
  readonly wire: BinaryReader;
  /** Maps that a further piece of their message was merged into; their members may be out of order. */
  reopened: Set<Members> | undefined = undefined;
  readonly #buffer: Buffer;
  #left: number;

  /** `maxValues` bounds what `spend` takes. */
  constructor(bytes: Uint8Array, maxValues = Number.POSITIVE_INFINITY) {
    this.#left = VALUE_COST * maxValues;
    this.wire = new BinaryReader(bytes);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws a DecodeError where the values are too many. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new DecodeError('values', 'proto: too many values');
  }

  /** Where the length-delimited value at the cursor ends. */
  end(): number {
    const length = this.wire.uint32();
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
    const end = this.end();
    const start = this.wire.pos;
    this.wire.pos = end;
    return this.#buffer.subarray(start, end);
  }

  base64(): string {
    return this.bytes().toString('base64');
  }

  /** Calls `read` for each field up to `end`; a field that it returns false for is passed over. */
  fields(end: number, read: (field: number, wireType: WireType) => boolean): void {
    while (this.wire.pos < end) {
      this.spend(1);
      const tag = this.wire.uint32();
      const field = tag >>> 3;
      const wireType = (tag & 7) as WireType;
      if (field === 0) throw new RangeError(`illegal tag: field no ${field}`);
      if (!read(field, wireType)) this.wire.skip(wireType, field);
    }
    if (this.wire.pos > end) throw new RangeError('premature EOF');
  }

  /** Crossing into native code costs more than putting a few ASCII characters together. */
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
