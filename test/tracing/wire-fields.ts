/** The fields of one protobuf message, by number, without a schema. */
export class WireFields {
  readonly #fields = new Map<number, (Buffer | number)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 127) * shift;
        if (byte < 128) return value;
      }
    };
    const taken = (length: number) => {
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = varint();
      const type = tag & 7;
      const value = type === 0 ? varint() : taken(type === 2 ? varint() : type === 1 ? 8 : 4);
      const number = Math.floor(tag / 8);
      this.#fields.set(number, [...(this.#fields.get(number) ?? []), value]);
    }
  }

  has(number: number): boolean {
    return this.#fields.has(number);
  }

  messages(number: number): readonly WireFields[] {
    return this.#all(number).map((value) => fieldsOf(Buffer.isBuffer(value) ? value : Buffer.alloc(0)));
  }

  text(number: number): string {
    return this.#bytes(number).toString();
  }

  hex(number: number): string {
    return this.#bytes(number).toString('hex');
  }

  number(number: number): number {
    return Number(this.#all(number)[0] ?? 0);
  }

  #bytes(number: number): Buffer {
    const [value] = this.#all(number);
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  }

  #all(number: number): readonly (Buffer | number)[] {
    return this.#fields.get(number) ?? [];
  }
}

export function fieldsOf(bytes: Buffer): WireFields {
  return new WireFields(bytes);
}
