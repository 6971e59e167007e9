import { randomUUID } from 'node:crypto';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { humanDuration } from '@apiserver/apimachinery/values';
import type { RowTime } from '@apiserver/apiserver-contracts';

/** Bytes of a place: its offset in the text, and the time whose age is printed there. */
const PLACE_BYTES = 4 + 8;
const HEAD_BYTES = 1 + 4;

const NOTHING: Buffer = Buffer.alloc(0);
const INVALID = humanDuration(Number.NaN);
const ESCAPED_INVALID = stringifyJson(INVALID).slice(1, -1);

/**
 * Marks in the text of a row, where ages are printed. A client cannot have put one into an object: it contains a random
 * number, and no Table shows it.
 */
export class MarkedTime implements RowTime {
  readonly #mark = `${randomUUID()}-`;
  readonly #times: number[] = [];

  since(milliseconds: number): string {
    return `${this.#mark}${this.#times.push(milliseconds) - 1};`;
  }

  /** Divides a text with marks into a row. `isWhole`: see TableRow. Forgets the marks. */
  row(text: string, isWhole: boolean): TableRow {
    const times = this.#times.splice(0);
    const parts = text.split(this.#mark);
    const ages: number[] = [];
    for (let i = 1; i < parts.length; i++) {
      const part = parts[i] ?? '';
      const end = part.indexOf(';');
      ages.push(times[Number(part.slice(0, end))] ?? Number.NaN);
      parts[i] = part.slice(end + 1);
    }
    return TableRow.of(parts, ages, isWhole);
  }
}

/**
 * The part of a row before its object, as bytes that depend on nothing but the object: ages are left out. It begins
 * with the two bytes that end the row before.
 *
 * One byte is 1 for a row that always shows its object. A number of places and the places follow, then the text.
 */
export class TableRow {
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** `ages` are printed between the texts. */
  static of(texts: readonly string[], ages: readonly number[], isWhole: boolean): TableRow {
    const start = HEAD_BYTES + ages.length * PLACE_BYTES;
    const bytes = Buffer.allocUnsafe(texts.reduce((length, text) => length + Buffer.byteLength(text), start));
    bytes.writeUInt8(isWhole ? 1 : 0, 0);
    bytes.writeUInt32LE(ages.length, 1);
    let offset = 0;
    for (let i = 0; i < texts.length; i++) {
      offset += bytes.write(texts[i] ?? '', start + offset);
      const age = ages[i];
      if (age === undefined) break;
      const place = HEAD_BYTES + i * PLACE_BYTES;
      bytes.writeUInt32LE(offset, place);
      bytes.writeDoubleLE(age, place + 4);
    }
    return new TableRow(bytes);
  }

  /** True if it shows its object whatever the client asked for. */
  get isWhole(): boolean {
    return this.bytes[0] === 1;
  }

  /** The text between two others, with ages at a time. Bytes are copied: texts in between would cost twice as much. */
  print(now: number, before = NOTHING, after = NOTHING): Uint8Array {
    const { bytes } = this;
    const count = bytes.readUInt32LE(1);
    const start = HEAD_BYTES + count * PLACE_BYTES;
    if (count === 0 && before.length === 0 && after.length === 0) return bytes.subarray(start);
    const ages: string[] = [];
    let length = before.length + bytes.length - start + after.length;
    for (let place = HEAD_BYTES; place < start; place += PLACE_BYTES) {
      const age = escapedAge(now - bytes.readDoubleLE(place + 4));
      length += age.length;
      ages.push(age);
    }
    const printed = Buffer.allocUnsafe(length);
    let at = before.copy(printed);
    let copied = start;
    for (let i = 0; i < count; i++) {
      const end = start + bytes.readUInt32LE(HEAD_BYTES + i * PLACE_BYTES);
      at += bytes.copy(printed, at, copied, end);
      at = writeAscii(printed, at, ages[i] ?? '');
      copied = end;
    }
    at += bytes.copy(printed, at, copied);
    after.copy(printed, at);
    return printed;
  }
}

/** Ages are too short for a call into Node. */
function writeAscii(to: Buffer, start: number, text: string): number {
  let at = start;
  for (let i = 0; i < text.length; i++) to[at++] = text.charCodeAt(i);
  return at;
}

/** An age as a part of a JSON string, in ASCII. */
function escapedAge(milliseconds: number): string {
  const age = humanDuration(milliseconds);
  return age === INVALID ? ESCAPED_INVALID : age;
}
