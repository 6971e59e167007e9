import { formatGroupVersion } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { type FieldSchema, flatFields, type KindSchema } from '@apiserver/apimachinery/schema';
import { JsonMembers } from './json-members.js';

const QUOTE = 0x22;
/** Nothing that a column shows follows this member of metadata. It is long, so that its end is not looked for. */
const LONG = 'managedFields';

/** A part of a text. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Makes an object of the JSON text that this server has written of it. Its members are parsed when they are first read. So are
 * those of its metadata: managed fields, which no column shows, are most of them. `metadata` is their place in the text.
 *
 * The object is only of use as long as the text stays where it is. Most of its members are accessors of a class, so that
 * they cannot be listed or copied. Undefined for a text with unknown members, in another order, or without a struct that is
 * always written: another version of this server may have stored it.
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
  const fields = flatFields(schema);
  const at = fields.findIndex(({ name }) => name === 'metadata');
  const metadata = fields[at]?.schema;
  if (metadata?.type !== 'struct') throw new TypeError(`${gvk.kind} has no metadata`);
  const metadataMembers = membersOf(flatFields(metadata));
  const otherMembers = membersOf(fields.slice(at + 1));
  const [Metadata, Others] = [partsClass(metadataMembers.names), partsClass(otherMembers.names)];
  class ObjectParts extends Others {
    readonly kind = gvk.kind;
    readonly apiVersion = formatGroupVersion(gvk);
    readonly metadata: object;

    constructor(metadata: object, json: Buffer, found: readonly number[]) {
      super(json, found);
      this.metadata = metadata;
    }
  }
  return (json, place) => {
    const ofMetadata = places(metadataMembers, json, place);
    // Others follow the metadata as they would follow a brace.
    const others = places(otherMembers, json, { start: place.end - 1, end: json.length });
    if (ofMetadata === undefined || others === undefined) return undefined;
    return new ObjectParts(new Metadata(json, ofMetadata), json, others);
  };
}

/** Members of a struct in the order of JSON. */
interface Members {
  readonly names: readonly string[];
  /** Indexes of those that are written even if they are empty, and that columns look into without a check. */
  readonly structs: readonly number[];
}

function membersOf(fields: readonly FieldSchema[]): Members {
  const names = fields.map(({ name }) => name);
  const isAlways = ({ schema, pointer, omitZero }: FieldSchema) => schema.type === 'struct' && !pointer && !omitZero;
  return { names, structs: fields.filter(isAlways).map(({ name }) => names.indexOf(name)) };
}

/**
 * The places of these members in an object that has some of them in this order: start and end of each in turn, 0 for an absent
 * one. Undefined if it has others, or not all of the structs.
 */
function places({ names, structs }: Members, json: Buffer, { start, end }: TextPlace): readonly number[] | undefined {
  const found = new Array<number>(names.length * 2).fill(0);
  const members = new JsonMembers(json, start);
  let index = -1;
  while (members.next()) {
    do if (++index === names.length) return undefined;
    while (!members.isNamed(names[index] ?? ''));
    const isLong = names[index] === LONG;
    found[index * 2] = members.valueStart;
    found[index * 2 + 1] = isLong ? end - 1 : members.end;
    if (isLong) break;
  }
  for (const struct of structs) if (found[struct * 2] === 0) return undefined;
  return found;
}

/** A class of objects with these members, by the places of their values in a text. */
function partsClass(names: readonly string[]): new (json: Buffer, found: readonly number[]) => object {
  class Parts {
    readonly #json: Buffer;
    readonly #places: readonly number[];
    readonly #values: unknown[] = [];

    constructor(json: Buffer, found: readonly number[]) {
      this.#json = json;
      this.#places = found;
    }

    static {
      for (const [index, name] of names.entries()) {
        Object.defineProperty(Parts.prototype, name, {
          get(this: Parts) {
            this.#values[index] ??= this.#read(index * 2);
            return this.#values[index];
          },
        });
      }
    }

    #read(place: number): unknown {
      const [start = 0, end = 0] = [this.#places[place], this.#places[place + 1]];
      return start === 0 ? undefined : valueIn(this.#json, start, end);
    }
  }
  return Parts;
}

function valueIn(json: Buffer, start: number, end: number): unknown {
  if (json[start] === QUOTE) {
    const text = json.toString('utf8', start + 1, end - 1);
    if (!text.includes('\\')) return text;
  }
  return parseJsonValue(json.subarray(start, end));
}
