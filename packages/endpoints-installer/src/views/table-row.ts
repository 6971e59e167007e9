import { randomUUID } from 'node:crypto';
import { humanDuration } from '@apiserver/apimachinery/values';
import type { RowTime } from '@apiserver/apiserver-contracts';

/** Bytes of a place: its offset in the text, and the time whose age is printed there. */
const PLACE_BYTES = 4 + 8;
const HEAD_BYTES = 1 + 4;

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
    const [first = '', ...rest] = text.split(this.#mark);
    const texts = [Buffer.from(first)];
    const ages: number[] = [];
    for (const part of rest) {
      const end = part.indexOf(';');
      ages.push(times[Number(part.slice(0, end))] ?? Number.NaN);
      texts.push(Buffer.from(part.slice(end + 1)));
    }
    return TableRow.of(texts, ages, isWhole);
  }
}

/**
 * The part of a row before its object, as bytes that depend on nothing but the object: ages are left out. It begins with
 * the two bytes that end the row before.
 *
 * One byte is 1 for a row that always shows its object. A number of places and the places follow, then the text.
 */
export class TableRow {
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** `ages` are printed between the texts. */
  static of(texts: readonly Uint8Array[], ages: readonly number[], isWhole: boolean): TableRow {
    const head = Buffer.alloc(HEAD_BYTES + ages.length * PLACE_BYTES);
    head.writeUInt8(isWhole ? 1 : 0, 0);
    head.writeUInt32LE(ages.length, 1);
    let offset = 0;
    for (const [index, age] of ages.entries()) {
      offset += texts[index]?.length ?? 0;
      const place = HEAD_BYTES + index * PLACE_BYTES;
      head.writeUInt32LE(offset, place);
      head.writeDoubleLE(age, place + 4);
    }
    return new TableRow(Buffer.concat([head, ...texts]));
  }

  /** True if it shows its object whatever the client asked for. */
  get isWhole(): boolean {
    return this.bytes[0] === 1;
  }

  /** The text, with ages at a time. */
  print(now: number): Uint8Array {
    const { bytes } = this;
    const count = bytes.readUInt32LE(1);
    const start = HEAD_BYTES + count * PLACE_BYTES;
    if (count === 0) return bytes.subarray(start);
    let text = '';
    let printed = 0;
    for (let place = HEAD_BYTES; place < start; place += PLACE_BYTES) {
      const offset = bytes.readUInt32LE(place);
      text +=
        bytes.toString('latin1', start + printed, start + offset) + humanDuration(now - bytes.readDoubleLE(place + 4));
      printed = offset;
    }
    return Buffer.from(text + bytes.toString('latin1', start + printed), 'latin1');
  }
}
