import type { Json, JsonObject } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { type FieldSchema, flatFields, type KindSchema, type StructSchema } from '@apiserver/apimachinery/schema';
import type { TextPlace } from './metadata-place.js';

/** No column shows this last member of metadata, which is most of them. */
const LONG = 'managedFields';
const LONG_MEMBER = Buffer.from(`,"${LONG}":[`);

/**
 * Makes an object of the JSON text that this server has written of it, without its managed fields. Native code finds
 * and cuts them. `metadata` is the place of the metadata in the text.
 *
 * Undefined for a text with unknown members, in another order, or without a struct that is always written: another
 * version of this server may have stored it.
 */
export type ReadParts = (json: Buffer, metadata: TextPlace) => object | undefined;

const readers = new WeakMap<KindSchema, ReadParts>();

/** The reader of a kind, which must have metadata and Go types. Made once. */
export function partsReader(kind: KindSchema): ReadParts {
  let reader = readers.get(kind);
  if (reader === undefined) {
    reader = newReader(kind);
    readers.set(kind, reader);
  }
  return reader;
}

function newReader({ gvk, schema }: KindSchema): ReadParts {
  const metadata = flatFields(schema).find(({ name }) => name === 'metadata')?.schema;
  if (metadata?.type !== 'struct') throw new TypeError(`${gvk.kind} has no metadata`);
  const [members, metadataMembers] = [membersOf(schema), membersOf(metadata)];
  return (json, place) => {
    const object = parseJsonValue(withoutManagedFields(json, place));
    if (!isObject(object) || !isOf(object, members)) return undefined;
    const { metadata } = object;
    return isObject(metadata) && isOf(metadata, metadataMembers) ? object : undefined;
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members of a struct in the order of JSON. */
interface StructMembers {
  readonly names: readonly string[];
  /** Those that are written even if they are empty, and that columns look into without a check. */
  readonly structs: readonly string[];
}

function membersOf(schema: StructSchema): StructMembers {
  const fields = flatFields(schema);
  const isAlways = ({ schema, pointer, omitZero }: FieldSchema) => schema.type === 'struct' && !pointer && !omitZero;
  return { names: fields.map(({ name }) => name), structs: fields.filter(isAlways).map(({ name }) => name) };
}

/** Reports whether an object has some of these members, in this order, and all of the structs. */
function isOf(object: JsonObject, { names, structs }: StructMembers): boolean {
  let index = 0;
  for (const name in object) {
    while (names[index] !== name) if (++index >= names.length) return false;
  }
  return structs.every((name) => object[name] !== undefined);
}

/** The member is the last one: in JSON, a quote behind a comma begins a name, and values of labels are no arrays. */
function withoutManagedFields(json: Buffer, metadata: TextPlace): Buffer {
  const start = json.indexOf(LONG_MEMBER, metadata.start);
  if (start < 0 || start >= metadata.end) return json;
  const text = Buffer.allocUnsafe(start + json.length - metadata.end + 1);
  json.copy(text, 0, 0, start);
  json.copy(text, start, metadata.end - 1);
  return text;
}
