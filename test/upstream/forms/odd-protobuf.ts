import type { Random } from '../../watch/random.ts';

/** A field of a message as it was read. */
interface Field {
  readonly number: number;
  readonly wireType: number;
  /** Without the length of a delimited one. */
  readonly value: Buffer;
}

const [VARINT, BIT64, DELIMITED, START, END, BIT32] = [0, 1, 2, 3, 4, 5];
const MAGIC = Buffer.from('k8s\0');

const VALUES: readonly [Buffer, ...Buffer[]] = [
  Buffer.alloc(0),
  Buffer.from('a'),
  Buffer.of(0xff),
  Buffer.from('é'),
  Buffer.of(0x08, 0x01),
  Buffer.of(0x0a, 0x01, 0x61),
  Buffer.of(0x0a, 0x7f),
  Buffer.from('{"a":1}'),
  Buffer.from('{"a":'),
  Buffer.of(0x80),
];

/** The bytes of a message with odd changes, of which some make it unreadable. */
export class OddProtobuf {
  readonly #random: Random;
  readonly #chance: number;

  constructor(random: Random, chance: number) {
    this.#random = random;
    this.#chance = chance;
  }

  /** `bytes` is an object in its envelope. */
  bytes(bytes: Uint8Array): Buffer {
    const envelope = this.#random.chance(0.9)
      ? this.#raw(bytes.subarray(4))
      : this.#message(Buffer.from(bytes.subarray(4)));
    const all = Buffer.concat([MAGIC, envelope]);
    return this.#odd(0.1) ? all.subarray(0, this.#random.below(all.length)) : all;
  }

  /** Changes the raw message of an envelope alone. */
  #raw(envelope: Uint8Array): Buffer {
    const fields = readFields(Buffer.from(envelope)) ?? [];
    return Buffer.concat(
      fields.map((field) =>
        field.number === 2 && field.wireType === DELIMITED
          ? plain({ ...field, value: this.#message(field.value) })
          : plain(field),
      ),
    );
  }

  #odd(factor = 1): boolean {
    return this.#random.chance(this.#chance * factor);
  }

  #message(bytes: Buffer): Buffer {
    const fields = readFields(bytes);
    if (fields === undefined) return bytes;
    const parts = fields.flatMap((field) => {
      const inner =
        field.wireType === DELIMITED && this.#random.chance(0.8)
          ? { ...field, value: this.#message(field.value) }
          : field;
      return this.#changed(inner);
    });
    if (this.#odd(0.5)) parts.splice(this.#random.below(parts.length + 1), 0, this.#unknown());
    if (this.#odd(0.3)) parts.reverse();
    return Buffer.concat(parts);
  }

  #changed(field: Field): Buffer[] {
    if (!this.#odd()) return [plain(field)];
    const kind = this.#random.below(9);
    if (kind === 0) return [];
    if (kind === 1) return [plain(field), plain(field)];
    if (kind === 2) return [this.#long(field)];
    if (kind === 3) return [this.#inAnotherType(field)];
    if (kind === 4)
      return [plain({ ...field, value: field.wireType === DELIMITED ? this.#random.of(VALUES) : field.value })];
    if (kind === 5) return [plain({ ...field, number: this.#random.of([1, 2, 3, 15, 16, 100, 536_870_911, 0]) })];
    if (kind === 6) return [plain(field), this.#unknown()];
    if (kind === 7 && field.wireType === VARINT) return [plain({ ...field, value: this.#number() })];
    if (kind === 7) return [plain(field), plain({ ...field, value: this.#random.of(VALUES) })];
    const length = this.#random.of([field.value.length + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40]);
    return [Buffer.concat([varint(BigInt(field.number * 8 + DELIMITED)), varint(BigInt(length)), field.value])];
  }

  #number(): Buffer {
    return varint(
      this.#random.of([0n, 1n, 2n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 53n + 1n]),
    );
  }

  /** Numbers with more bytes than they need. */
  #long({ number, wireType, value }: Field): Buffer {
    const more = 1 + this.#random.below(10);
    const tag = varint(BigInt(number * 8 + wireType), this.#random.chance(0.5) ? more : 0);
    if (wireType === DELIMITED) return Buffer.concat([tag, varint(BigInt(value.length), more), value]);
    return Buffer.concat([tag, wireType === VARINT ? varint(BigInt(value[0] ?? 0) & 0x7fn, more) : value]);
  }

  #inAnotherType({ number, value }: Field): Buffer {
    const wireType = this.#random.of([VARINT, BIT64, DELIMITED, START, END, BIT32, 6, 7] as [number, ...number[]]);
    return plain({
      number,
      wireType,
      value: wireType === DELIMITED ? value : Buffer.alloc(wireType === BIT64 ? 8 : wireType === BIT32 ? 4 : 1),
    });
  }

  #unknown(): Buffer {
    const number = this.#random.of([50, 99, 1_000, 536_870_911]);
    const wireType = this.#random.of([VARINT, BIT64, DELIMITED, BIT32] as [number, ...number[]]);
    const value = wireType === VARINT ? this.#number() : Buffer.alloc(wireType === BIT64 ? 8 : 4);
    return plain({ number, wireType, value });
  }
}

function varint(value: bigint, more = 0): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  } while (rest > 0n);
  for (let i = 0; i < more; i++) bytes.push(0x80);
  bytes.push((bytes.pop() ?? 0) & 0x7f);
  return Buffer.from(bytes);
}

function plain({ number, wireType, value }: Field): Buffer {
  const tag = varint(BigInt(number) * 8n + BigInt(wireType));
  return wireType === DELIMITED
    ? Buffer.concat([tag, varint(BigInt(value.length)), value])
    : Buffer.concat([tag, value]);
}

/** The fields of a message; undefined for bytes that are none. */
function readFields(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let shift = 0; at < bytes.length && shift < 49; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = read();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (!(number > 0)) return undefined;
    let start = at;
    if (wireType === VARINT) while (at < bytes.length && (bytes[at++] ?? 0) >= 0x80);
    else if (wireType === BIT64) at += 8;
    else if (wireType === BIT32) at += 4;
    else if (wireType === DELIMITED) {
      const length = read();
      start = at;
      at += length;
    } else return undefined;
    if (!(at <= bytes.length)) return undefined;
    fields.push({ number, wireType, value: bytes.subarray(start, at) });
  }
  return fields;
}
