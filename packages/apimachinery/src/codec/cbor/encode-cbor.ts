import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { KindSchema } from '../../schema/kind-schema.js';
import type { FieldSchema, Schema, StructSchema } from '../../schema/schema.js';
import { newContext } from '../canonical/canonical-context.js';
import { canonicalizer } from '../canonical/canonicalize.js';
import { MAJOR } from './cbor-cursor.js';
import { CborWriter } from './cbor-writer.js';

type Members = { readonly [key: string]: unknown };

/** The tag in front of every object, which marks it as CBOR. RFC 8949, section 3.4.6 */
export const SELF_DESCRIBED_CBOR: Uint8Array = Uint8Array.of(0xd9, 0xd9, 0xf7);

/** The tag of bytes that become base64 where text is required. */
const BASE64_LATER = 22;

/** Reports whether bytes start like an object in CBOR. Upstream: RecognizesData */
export function isCborObject(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7;
}

/**
 * Encodes an object of a kind in deterministic CBOR: shortest forms, keys sorted by their bytes. It starts with the
 * self-described tag.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/cbor (serializer.Encode; responses of upstream shuffle the keys)
 */
export function encodeCbor<T>({ schema, semantics }: KindSchema<T>, object: T): Uint8Array {
  const writer = new CborWriter();
  writer.raw(SELF_DESCRIBED_CBOR);
  if (semantics === 'structural') writeValue(writer, object);
  else writeTyped(writer, schema, canonicalOf(schema, object));
  return writer.finish();
}

/** An item of a typed list: without the tag, kind and apiVersion. */
export function encodeCborItem<T>({ schema }: KindSchema<T>, object: T): Uint8Array {
  const writer = new CborWriter();
  const { kind: _kind, apiVersion: _apiVersion, ...members } = canonicalOf(schema, object) as Members;
  writeTyped(writer, schema, members);
  return writer.finish();
}

/**
 * The bytes before and after the items of a list; `items` is their number. Items follow the kind, because keys are
 * sorted.
 */
export function cborListEnds(
  { apiVersion, kind, metadata }: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  items: number | null,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const head = new CborWriter();
  head.raw(SELF_DESCRIBED_CBOR);
  head.head(MAJOR.map, 4);
  for (const text of ['kind', kind, 'items']) head.text(text);
  if (items === null) writeValue(head, null);
  else head.head(MAJOR.array, items);
  const tail = new CborWriter();
  tail.text('metadata');
  writeValue(tail, metadata);
  for (const text of ['apiVersion', apiVersion]) tail.text(text);
  return { head: head.finish(), tail: tail.finish() };
}

/** A plain JSON value in CBOR, without a tag. */
export function encodeCborValue(value: unknown): Uint8Array {
  const writer = new CborWriter();
  writeValue(writer, value);
  return writer.finish();
}

function canonicalOf(schema: StructSchema, object: unknown): unknown {
  const context = newContext({ owned: false, lenient: true, trusted: true });
  return canonicalizer(schema)(object, context);
}

/** Writes a canonical value: only bytes and floats have a form that differs from their JavaScript type. */
function writeTyped(writer: CborWriter, schema: Schema, value: unknown): void {
  if (value === null || value === undefined) writer.null();
  else if (schema.type === 'struct') writeStruct(writer, schema, value as Members);
  else if (schema.type === 'map')
    writeMembers(writer, value as Members, (item) => writeTyped(writer, schema.element, item));
  else if (schema.type === 'list') writeItems(writer, value, (item) => writeTyped(writer, schema.element, item));
  else if (schema.type === 'bytes') writeBytes(writer, Buffer.from(value as string, 'base64'));
  else if (schema.type === 'float64') writer.float(value as number);
  else writeValue(writer, value);
}

function writeBytes(writer: CborWriter, bytes: Uint8Array): void {
  writer.head(MAJOR.tag, BASE64_LATER);
  writer.head(MAJOR.bytes, bytes.length);
  writer.raw(bytes);
}

function writeStruct(writer: CborWriter, schema: StructSchema, value: Members): void {
  const present = sortedFields(schema).filter(({ name }) => value[name] !== undefined);
  writer.head(MAJOR.map, present.length);
  for (const field of present) {
    writer.text(field.name);
    writeTyped(writer, field.schema, value[field.name]);
  }
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

function writeValue(writer: CborWriter, value: unknown): void {
  if (typeof value === 'string') writer.text(value);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) writer.integer(value);
    else writer.float(value);
  } else if (typeof value === 'boolean') writer.boolean(value);
  else if (typeof value === 'bigint') writeBigInteger(writer, value);
  else if (value === null || value === undefined) writer.null();
  else if (Array.isArray(value)) writeItems(writer, value, (item) => writeValue(writer, item));
  else writeMembers(writer, value as Members, (member) => writeValue(writer, member));
}

/** Integers beyond 64 bits are written as doubles: no decoder could read them back. */
function writeBigInteger(writer: CborWriter, value: bigint): void {
  if (BigInt.asIntN(64, value) === value) writer.integer(value);
  else writer.float(Number(value));
}

function writeItems(writer: CborWriter, list: unknown, write: (item: unknown) => void): void {
  const items = list as readonly unknown[];
  writer.head(MAJOR.array, items.length);
  for (const item of items) write(item);
}

function writeMembers(writer: CborWriter, object: Members, write: (value: unknown) => void): void {
  const keys = inOrderOfEncoding(Object.keys(object).filter((key) => object[key] !== undefined));
  writer.head(MAJOR.map, keys.length);
  for (const key of keys) {
    writer.text(key);
    write(object[key]);
  }
}

/** Number of keys from which they are sorted by length first, which needs no comparison. */
const MANY = 64;

function inOrderOfEncoding(keys: string[]): readonly string[] {
  if (keys.length < MANY) return keys.sort(byEncoding);
  const byLength: string[][] = [];
  for (const key of keys) {
    const length = Buffer.byteLength(key);
    const same = byLength[length];
    if (same === undefined) byLength[length] = [key];
    else same.push(key);
  }
  // A list with gaps is left out by its keys, which are in order.
  return Object.values(byLength).flatMap(sortKeys);
}

/** The order of the encoded keys: a longer one has a higher first byte. Upstream: RFC 8949, section 4.2.1 */
function byEncoding(a: string, b: string): number {
  return Buffer.byteLength(a) - Buffer.byteLength(b) || compareKeys(a, b);
}
