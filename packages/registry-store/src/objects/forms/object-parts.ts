import { formatGroupVersion } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { flatFields, type KindSchema, type StructSchema } from '@apiserver/apimachinery/schema';
import { JsonMembers } from './json-members.js';

const QUOTE = 0x22;

/** A part of a text. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Makes an object of the JSON text that this server has written of it. Its members are parsed when they are first read. So are
 * those of its metadata: managed fields, which no column shows, are most of them. `metadata` is their place in the text.
 *
 * The object is only of use as long as the text stays where it is. It has no own members, so that they cannot be listed or
 * copied. Undefined for a text with unknown members, or members in another order.
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
  const names = namesOf(schema);
  const metadata = schema.fields.find(({ name }) => name === 'metadata');
  if (metadata?.schema.type !== 'struct') throw new TypeError(`${gvk.kind} has no metadata`);
  const metadataNames = namesOf(metadata.schema);
  const otherNames = names.slice(names.indexOf('metadata') + 1);
  const [Metadata, Others] = [partsClass(metadataNames), partsClass(otherNames)];
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
    const ofMetadata = places(metadataNames, json, place);
    // Others follow the metadata as they would follow a brace.
    const others = places(otherNames, json, { start: place.end - 1, end: json.length });
    if (ofMetadata === undefined || others === undefined) return undefined;
    return new ObjectParts(new Metadata(json, ofMetadata), json, others);
  };
}

function namesOf(struct: StructSchema): readonly string[] {
  return flatFields(struct).map(({ name }) => name);
}

/**
 * The places of these members in an object that has some of them in this order: start and end of each in turn, 0 for an absent
 * one. Undefined if it has others.
 */
function places(names: readonly string[], json: Buffer, { start, end }: TextPlace): readonly number[] | undefined {
  const found = new Array<number>(names.length * 2).fill(0);
  const members = new JsonMembers(json, start);
  let index = -1;
  while (members.next()) {
    do if (++index === names.length) return undefined;
    while (!members.isNamed(names[index] ?? ''));
    found[index * 2] = members.valueStart;
    // Nothing follows the last one, and managed fields are long.
    const isLast = index === names.length - 1;
    found[index * 2 + 1] = isLast ? end - 1 : members.end;
    if (isLast) break;
  }
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
