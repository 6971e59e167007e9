import type { Random } from '../../watch/random.ts';

/** The major types of data items. */
const [UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE] = [0, 1, 2, 3, 4, 5, 6, 7];
const BREAK = Buffer.of(0xff);

const TAGS = [0, 1, 2, 3, 4, 5, 21, 22, 23, 24, 32, 33, 34, 100, 258, 261, 55_799, 2 ** 32] as const;
/** Items that few types take: floats, simple values, large numbers, broken texts. */
const ITEMS = [
  ...[
    'f6',
    'f7',
    'f5',
    'f4',
    'f0',
    'f818',
    'f8ff',
    'f90000',
    'f93c00',
    'f97c00',
    'f97e00',
    'f98000',
    'fa3fc00000',
    'fa7f800000',
  ],
  ...[
    'fb3ff0000000000000',
    'fb7ff0000000000000',
    'fb7ff8000000000000',
    'fb43f0000000000000',
    'fb3fb999999999999a',
    'fbbff0000000000000',
  ],
  ...[
    '1bffffffffffffffff',
    '3bffffffffffffffff',
    '1b7fffffffffffffff',
    '1b8000000000000000',
    '3b7fffffffffffffff',
    '1a80000000',
    '20',
  ],
  ...[
    'c249010000000000000000',
    'c341ff',
    'c24101',
    'c074323031332d30332d32315432303a30343a30305a',
    'c11a514b67b0',
    'c1fb41d452d9ec200000',
  ],
  ...[
    '61ff',
    '62c328',
    '41ff',
    '40',
    '60',
    '80',
    'a0',
    '9fff',
    'bfff',
    '5fff',
    '7fff',
    '5f4161ff',
    '7f61616162ff',
    '7f4161ff',
    '5f6161ff',
  ],
  ...[
    'ff',
    '1c',
    '5b7fffffffffffffff',
    '9b0000000100000000',
    'bf61ff',
    'a1',
    'd9d9f7f6',
    'd64161',
    'd54161',
    'd74161',
    'd66161',
    'a1f601',
    'a10102',
  ],
].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, ...Buffer[]];

/** Floats that are whole: where no type is known, they are integers here. */
const WHOLE_FLOAT = /^(?:f9(?:0000|3c00|8000)|fb(?:3ff0|bff0|43f0)0{12})$/;
const OTHER_ITEMS = ITEMS.filter((item) => !WHOLE_FLOAT.test(item.toString('hex'))) as [Buffer, ...Buffer[]];

/** CBOR of a value in odd forms, of which some are wrong. */
export class OddCbor {
  readonly #random: Random;
  readonly #chance: number;
  readonly #hasWholeFloats: boolean;

  constructor(random: Random, chance: number, hasWholeFloats = true) {
    this.#random = random;
    this.#chance = chance;
    this.#hasWholeFloats = hasWholeFloats;
  }

  bytes(value: unknown): Buffer {
    const item = this.#item(value);
    const marked = this.#odd(0.5) ? Buffer.concat([Buffer.from('d9d9f7', 'hex'), item]) : item;
    if (this.#odd(0.1)) return Buffer.concat([marked, this.#random.of(this.#hasWholeFloats ? ITEMS : OTHER_ITEMS)]);
    return this.#odd(0.1) ? marked.subarray(0, this.#random.below(marked.length)) : marked;
  }

  #odd(factor = 1): boolean {
    return this.#random.chance(this.#chance * factor);
  }

  /** The head of an item; at times longer than it must be. */
  #head(major: number, count: number): Buffer {
    const sizes = [0, 1, 2, 4, 8].filter((size) => count < (size === 0 ? 24 : 2 ** (8 * size)));
    const size = this.#odd(0.5) ? this.#random.of(sizes as [number, ...number[]]) : (sizes[0] ?? 8);
    const first = (major << 5) | (size === 0 ? count : 24 + Math.log2(size));
    const argument = Buffer.alloc(size);
    if (size === 8) argument.writeBigUInt64BE(BigInt(count));
    else if (size > 0) argument.writeUIntBE(count, 0, size);
    return Buffer.concat([Buffer.of(first), argument]);
  }

  #item(value: unknown): Buffer {
    const tag = this.#odd(0.3) ? this.#head(TAG, this.#random.of(TAGS)) : Buffer.alloc(0);
    return Buffer.concat([
      tag,
      this.#odd() ? this.#random.of(this.#hasWholeFloats ? ITEMS : OTHER_ITEMS) : this.#plain(value),
    ]);
  }

  #plain(value: unknown): Buffer {
    if (typeof value === 'string') return this.#string(Buffer.from(value));
    if (typeof value === 'number') return this.#number(value);
    if (Array.isArray(value))
      return this.#several(
        ARRAY,
        value.length,
        value.map((one) => this.#item(one)),
      );
    if (typeof value === 'object' && value !== null) return this.#map(value);
    return Buffer.of((SIMPLE << 5) | (value === true ? 21 : value === false ? 20 : 22));
  }

  #number(value: number): Buffer {
    const isInteger = Number.isSafeInteger(value) && !(this.#hasWholeFloats && this.#odd());
    if (isInteger) return this.#head(value < 0 ? NEGATIVE : UNSIGNED, value < 0 ? -1 - value : value);
    const bytes = Buffer.alloc(9, 0xfb);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }

  /** As upstream writes texts, by bytes; at times as a text, or in pieces. */
  #string(bytes: Buffer): Buffer {
    const major = this.#random.chance(0.3) ? TEXT : BYTES;
    if (!this.#odd(0.5)) return Buffer.concat([this.#head(major, bytes.length), bytes]);
    const at = this.#random.below(bytes.length + 1);
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)].flatMap((piece) => [
      this.#head(major, piece.length),
      piece,
    ]);
    return Buffer.concat([Buffer.of((major << 5) | 31), ...pieces, BREAK]);
  }

  #several(major: number, count: number, items: readonly Buffer[]): Buffer {
    if (this.#odd()) return Buffer.concat([Buffer.of((major << 5) | 31), ...items, BREAK]);
    return Buffer.concat([this.#head(major, this.#odd(0.1) ? count + 1 : count), ...items]);
  }

  #map(value: object): Buffer {
    const members = Object.entries(value).flatMap(([key, member]) => {
      const entry = Buffer.concat([this.#key(key), this.#item(member)]);
      if (!this.#odd(0.4)) return [entry];
      return this.#random.chance(0.5)
        ? [entry, entry]
        : [entry, Buffer.concat([this.#key(`${key}x`), this.#item(member)])];
    });
    return this.#several(MAP, members.length, members);
  }

  #key(key: string): Buffer {
    return this.#odd(0.3)
      ? this.#random.of(this.#hasWholeFloats ? ITEMS : OTHER_ITEMS)
      : this.#string(Buffer.from(key));
  }
}
