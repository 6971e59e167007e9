import type { FieldSchema } from '../../schema/schema.js';

/** The names of a struct's fields, in the order of JSON, to be found in the bytes of a text. */
export class FieldNames {
  readonly #names: readonly Buffer[];

  constructor(fields: readonly FieldSchema[]) {
    this.#names = fields.map(({ name }) => Buffer.from(name));
  }

  get count(): number {
    return this.#names.length;
  }

  /**
   * The index of a name. Members follow one another as fields do, so that it is looked for from `expected` on. -1:
   * none.
   */
  find(text: Uint8Array, start: number, end: number, expected: number): number {
    const names = this.#names;
    const { length } = names;
    for (let i = expected, left = length; left > 0; i++, left--) {
      if (i === length) i = 0;
      if (isAt(names[i], text, start, end)) return i;
    }
    return -1;
  }
}

function isAt(name: Buffer | undefined, text: Uint8Array, start: number, end: number): boolean {
  if (name === undefined || end - start !== name.length) return false;
  const { length } = name;
  for (let i = 0; i < length; i++) if (name[i] !== text[start + i]) return false;
  return true;
}
