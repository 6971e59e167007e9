import { flatFields } from '../../schema/flat-fields.js';
import type { FieldSchema, Schema, StructSchema } from '../../schema/schema.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { sortSteps } from '../canonical/member-order.js';
import { MAJOR } from './cbor-cursor.js';
import { byEncoding, inOrderOfEncoding } from './cbor-key-order.js';
import type { CborWriter } from './cbor-writer.js';

type Members = { readonly [key: string]: unknown };

/** Values written between two pauses, and keys of a map that is sorted in steps of its own. */
const SLICE = 4_096;

/** A struct, map or list of which some values are not yet written. */
type Open = OpenStruct | OpenMap | OpenList;

interface OpenStruct {
  readonly type: 'struct';
  readonly value: Members;
  readonly fields: readonly FieldSchema[];
  next: number;
}

interface OpenMap {
  readonly type: 'map';
  readonly value: Members;
  /** In the order of their encoding, once `ordered`. Those of undefined values are then left out. */
  keys: readonly string[];
  ordered: boolean;
  readonly element: Schema | undefined;
  next: number;
}

interface OpenList {
  readonly type: 'list';
  readonly value: readonly unknown[];
  readonly element: Schema | undefined;
  next: number;
}

/**
 * Writes values in steps of a few milliseconds, and without recursion. A canonical value of a schema only differs from
 * a plain JSON value in bytes and floats.
 */
export class CborValueWriter {
  readonly #writer: CborWriter;
  /** From the outermost one to that whose values are written now. */
  readonly #open: Open[] = [];
  #written = 0;

  constructor(writer: CborWriter) {
    this.#writer = writer;
  }

  /** Writes a value of a schema; without one, a plain JSON value. */
  *steps(schema: Schema | undefined, value: unknown): DecodingSteps<void> {
    this.#write(schema, value);
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (++this.#written >= SLICE) {
        this.#written = 0;
        yield;
      }
      if (open.type === 'map' && !open.ordered) yield* this.#order(open);
      if (!this.#writeNext(open)) this.#open.pop();
    }
  }

  /** Sorts the keys of a large map, and writes its head. */
  *#order(open: OpenMap): DecodingSteps<void> {
    yield;
    const keys = open.keys.filter((key) => open.value[key] !== undefined);
    yield;
    open.keys = yield* sortSteps(keys, inOrderOfEncoding, byEncoding);
    open.ordered = true;
    this.#writer.head(MAJOR.map, keys.length);
  }

  /** Writes one value of a struct, map or list, or opens it. Returns false if there are no more. */
  #writeNext(open: Open): boolean {
    const index = open.next++;
    if (open.type === 'list') {
      if (index >= open.value.length) return false;
      this.#write(open.element, open.value[index]);
      return true;
    }
    if (open.type === 'map') {
      const key = open.keys[index];
      if (key === undefined) return false;
      this.#writer.text(key);
      this.#write(open.element, open.value[key]);
      return true;
    }
    const field = open.fields[index];
    if (field === undefined) return false;
    this.#writer.text(field.name);
    this.#write(field.schema, open.value[field.name]);
    return true;
  }

  #write(schema: Schema | undefined, value: unknown): void {
    const writer = this.#writer;
    if (value === null || value === undefined) writer.null();
    else if (schema === undefined) this.#writePlain(value);
    else if (schema.type === 'struct') this.#openStruct(schema, value as Members);
    else if (schema.type === 'map') this.#openMap(schema.element, value as Members);
    else if (schema.type === 'list') this.#openList(schema.element, value as readonly unknown[]);
    else if (schema.type === 'bytes') writeBytes(writer, Buffer.from(value as string, 'base64'));
    else if (schema.type === 'float64') writer.float(value as number);
    else this.#writePlain(value);
  }

  #writePlain(value: unknown): void {
    const writer = this.#writer;
    if (typeof value === 'string') writer.text(value);
    else if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) writer.integer(value);
      else writer.float(value);
    } else if (typeof value === 'boolean') writer.boolean(value);
    else if (typeof value === 'bigint') writeBigInteger(writer, value);
    else if (Array.isArray(value)) this.#openList(undefined, value);
    else this.#openMap(undefined, value as Members);
  }

  #openStruct(schema: StructSchema, value: Members): void {
    const fields = sortedFields(schema).filter(({ name }) => value[name] !== undefined);
    this.#writer.head(MAJOR.map, fields.length);
    this.#open.push({ type: 'struct', value, fields, next: 0 });
  }

  #openMap(element: Schema | undefined, value: Members): void {
    const all = Object.keys(value);
    if (all.length >= SLICE) {
      this.#open.push({ type: 'map', value, keys: all, ordered: false, element, next: 0 });
      return;
    }
    const keys = inOrderOfEncoding(all.filter((key) => value[key] !== undefined));
    this.#writer.head(MAJOR.map, keys.length);
    this.#open.push({ type: 'map', value, keys, ordered: true, element, next: 0 });
  }

  #openList(element: Schema | undefined, value: readonly unknown[]): void {
    this.#writer.head(MAJOR.array, value.length);
    this.#open.push({ type: 'list', value, element, next: 0 });
  }
}

function writeBytes(writer: CborWriter, bytes: Uint8Array): void {
  writer.head(MAJOR.tag, BASE64_LATER);
  writer.head(MAJOR.bytes, bytes.length);
  writer.raw(bytes);
}

/** The tag of bytes that become base64 where text is required. */
export const BASE64_LATER = 22;

/** Integers beyond 64 bits are written as doubles: no decoder could read them back. */
function writeBigInteger(writer: CborWriter, value: bigint): void {
  if (BigInt.asIntN(64, value) === value) writer.integer(value);
  else writer.float(Number(value));
}

const fieldOrders = new WeakMap<StructSchema, readonly FieldSchema[]>();

function sortedFields(schema: StructSchema): readonly FieldSchema[] {
  let fields = fieldOrders.get(schema);
  if (fields === undefined) {
    fields = [...flatFields(schema)].sort((a, b) => byEncoding(a.name, b.name));
    fieldOrders.set(schema, fields);
  }
  return fields;
}
