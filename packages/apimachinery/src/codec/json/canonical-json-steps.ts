import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { fieldsByName } from '../../schema/flat-fields.js';
import type { Schema } from '../../schema/schema.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { sortSteps } from '../canonical/member-order.js';
import { writeScalar } from './stringify-json.js';

type Members = { readonly [key: string]: unknown };

/** Values that one step writes. */
const RUN = 4_096;

/** How a canonical value becomes JSON. */
interface JsonOptions {
  /** True if maps are not in order of their keys. */
  readonly unordered: boolean;
  /** The bytes of a part of the text, with HTML escaped. */
  readonly encode: (text: string) => Uint8Array;
}

/** Encodes a canonical value in steps, and without recursion. */
export function* canonicalJsonSteps(schema: Schema, value: unknown, options: JsonOptions): DecodingSteps<Uint8Array> {
  const writer = new CanonicalJsonWriter(options);
  yield* writer.write(schema, value);
  return writer.bytes();
}

/** An object or list of which some members are not yet written. */
type Open = OpenObject | OpenList;

interface OpenObject {
  readonly schema: Schema;
  readonly members: Members;
  keys: readonly string[];
  readonly isSorted: boolean;
  next: number;
}

interface OpenList {
  readonly schema: Schema;
  readonly items: readonly unknown[];
  next: number;
}

class CanonicalJsonWriter {
  readonly #options: JsonOptions;
  readonly #parts: Uint8Array[] = [];
  readonly #open: Open[] = [];
  #text = '';
  #written = 0;

  constructor(options: JsonOptions) {
    this.#options = options;
  }

  bytes(): Uint8Array {
    this.#close();
    return Buffer.concat(this.#parts);
  }

  *write(schema: Schema, value: unknown): DecodingSteps<void> {
    this.#value(schema, value);
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (this.#isPause()) yield;
      if ('items' in open) this.#item(open);
      else {
        if (open.next === 0 && !open.isSorted) open.keys = yield* sortSteps(open.keys, sortKeys, compareKeys);
        this.#member(open);
      }
    }
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

  #item(open: OpenList): void {
    const index = open.next++;
    if (index >= open.items.length) {
      this.#end(']');
      return;
    }
    if (index > 0) this.#text += ',';
    this.#value(schemaBelow(open.schema, ''), open.items[index]);
  }

  #member(open: OpenObject): void {
    const index = open.next++;
    const key = open.keys[index];
    if (key === undefined) {
      this.#end('}');
      return;
    }
    this.#text += index > 0 ? `,${writeText(key)}:` : `${writeText(key)}:`;
    this.#value(schemaBelow(open.schema, key), open.members[key]);
  }

  #end(bracket: string): void {
    this.#text += bracket;
    this.#open.pop();
  }

  #value(schema: Schema, value: unknown): void {
    if (typeof value === 'string') this.#text += writeText(value);
    else if (typeof value !== 'object' || value === null) this.#text += writeScalar(value);
    else if (Array.isArray(value)) {
      this.#text += '[';
      this.#open.push({ schema, items: value, next: 0 });
    } else this.#start(schema, value as Members);
  }

  #start(schema: Schema, members: Members): void {
    const isSorted = !this.#options.unordered || (schema.type !== 'map' && schema.type !== 'any');
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    this.#text += '{';
    this.#open.push({ schema, members, keys, isSorted, next: 0 });
  }
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
