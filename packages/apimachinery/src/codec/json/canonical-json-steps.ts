import { fieldsByName } from '../../schema/flat-fields.js';
import type { Schema } from '../../schema/schema.js';
import { lengthenEscapes } from '../../text/long-escapes.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { sortedKeysSteps } from '../canonical/member-order.js';
import { writeFloat, writeScalar } from './stringify-json.js';

type Members = { readonly [key: string]: unknown };

/** Values that one step writes. */
const RUN = 4_096;

/** The conversion of a canonical value to JSON. */
interface JsonOptions {
  /** True if maps are not in order of their keys. */
  readonly unordered: boolean;
  /** The bytes of a part of the text, with HTML escaped. */
  readonly encode: (text: string) => Uint8Array;
}

/**
 * Encodes a canonical value in steps, and without recursion. The steps do not refer to parts that are written: of a
 * value that nobody else needs, less and less is in memory.
 */
export function canonicalJsonSteps(schema: Schema, value: unknown, options: JsonOptions): DecodingSteps<Uint8Array> {
  return new CanonicalJsonWriter(options, schema, value).steps();
}

/** An object or list of which some members are not yet written. */
type Open = OpenObject | OpenItems;

interface OpenObject {
  readonly schema: Schema;
  readonly members: Members;
  keys: readonly string[];
  readonly isSorted: boolean;
  next: number;
}

/** A list, or the object whose members have these keys. An item of a short one is gone when it is written. */
interface OpenItems {
  readonly schema: Schema;
  readonly items: unknown[];
  readonly keys: readonly string[] | undefined;
  next: number;
}

class CanonicalJsonWriter {
  readonly #options: JsonOptions;
  readonly #parts: Uint8Array[] = [];
  readonly #open: Open[] = [];
  #text = '';
  #written = 0;

  constructor(options: JsonOptions, schema: Schema, value: unknown) {
    this.#options = options;
    this.#value(schema, value);
  }

  *steps(): DecodingSteps<Uint8Array> {
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (this.#isPause()) yield;
      if ('items' in open) this.#item(open);
      else {
        if (open.next === 0 && !open.isSorted) open.keys = yield* sortedKeysSteps(open.keys);
        this.#member(open);
      }
    }
    this.#close();
    return Buffer.concat(this.#parts);
  }

  #isPause(): boolean {
    if (++this.#written < RUN) return false;
    this.#written = 0;
    this.#close();
    return true;
  }

  /** Text of many pieces is joined part by part: joining it at the end would take one long step. */
  #close(): void {
    this.#parts.push(this.#options.encode(this.#text));
    this.#text = '';
  }

  #item(open: OpenItems): void {
    const { schema, items, keys } = open;
    const index = open.next++;
    if (index >= items.length) {
      this.#end(keys === undefined ? ']' : '}');
      return;
    }
    const key = keys?.[index];
    if (index > 0) this.#text += ',';
    if (key !== undefined) this.#text += `${keyText(schema, key)}:`;
    const item = items[index];
    if (items.length <= RUN) items[index] = undefined;
    this.#value(schemaBelow(schema, key ?? ''), item);
  }

  #member(open: OpenObject): void {
    const index = open.next++;
    const key = open.keys[index];
    if (key === undefined) {
      this.#end('}');
      return;
    }
    this.#text += `${index > 0 ? ',' : ''}${keyText(open.schema, key)}:`;
    this.#value(schemaBelow(open.schema, key), open.members[key]);
  }

  #end(bracket: string): void {
    this.#text += bracket;
    this.#open.pop();
  }

  #value(schema: Schema, value: unknown): void {
    if (typeof value === 'string') this.#text += writeText(value);
    else if (typeof value !== 'object' || value === null) this.#text += scalarText(schema, value);
    else if (Array.isArray(value)) {
      this.#text += '[';
      const items = value.length > RUN ? value : value.slice();
      this.#open.push({ schema, items, keys: undefined, next: 0 });
    } else this.#start(schema, value as Members);
  }

  #start(schema: Schema, members: Members): void {
    const isSorted = !this.#options.unordered || (schema.type !== 'map' && schema.type !== 'any');
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    this.#text += '{';
    // The members of a large object are small: they may stay.
    if (!isSorted || keys.length > RUN) this.#open.push({ schema, members, keys, isSorted, next: 0 });
    else this.#open.push({ schema, items: keys.map((key) => members[key]), keys, next: 0 });
  }
}

function keyText({ type }: Schema, key: string): string {
  return type === 'fieldsV1' ? lengthenEscapes(writeText(key)) : writeText(key);
}

function scalarText({ type }: Schema, value: unknown): string {
  return type === 'float64' ? writeFloat(value) : writeScalar(value);
}

/** The schema of a member or item. */
function schemaBelow(schema: Schema, key: string): Schema {
  switch (schema.type) {
    case 'struct':
      return fieldsByName(schema).get(key)?.schema ?? schema;
    case 'map':
    case 'list':
      return schema.element;
    case 'schemaOr':
      return key === '' ? schema.props : schemaBelow(schema.props, key);
    default:
      return schema;
  }
}

/** Text without escapes, as most keys and many values are. */
const PLAIN_TEXT = /^[ !#-[\]-~]{0,64}$/;

/** A text in JSON without HTML escapes. */
export function writeText(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : writeScalar(text);
}
