import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { fieldsByName } from '../../schema/flat-fields.js';
import type { Schema } from '../../schema/schema.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { sortSteps } from '../canonical/member-order.js';
import { writeScalar } from './stringify-json.js';

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
interface Open {
  readonly schema: Schema;
  readonly value: { readonly [key: string]: unknown } | readonly unknown[];
  /** Undefined for a list. */
  keys: readonly string[] | undefined;
  readonly isSorted: boolean;
  next: number;
  separator: string;
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
      if (open.next === 0 && !open.isSorted) open.keys = yield* sortSteps(open.keys ?? [], sortKeys, compareKeys);
      if (this.#isPause()) yield;
      this.#nextOf(open);
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

  #nextOf(open: Open): void {
    const index = open.next++;
    if (open.keys === undefined) this.#item(open, index);
    else this.#member(open, open.keys[index]);
  }

  #item(open: Open, index: number): void {
    const items = open.value as readonly unknown[];
    if (index >= items.length) {
      this.#end(']');
      return;
    }
    this.#text += open.separator;
    open.separator = ',';
    this.#value(schemaBelow(open.schema, ''), items[index]);
  }

  #member(open: Open, key: string | undefined): void {
    if (key === undefined) {
      this.#end('}');
      return;
    }
    const member = (open.value as { readonly [key: string]: unknown })[key];
    if (member === undefined) return;
    this.#text += `${open.separator}${writeText(key)}:`;
    open.separator = ',';
    this.#value(schemaBelow(open.schema, key), member);
  }

  #end(bracket: string): void {
    this.#text += bracket;
    this.#open.pop();
  }

  #value(schema: Schema, value: unknown): void {
    if (typeof value === 'string') this.#text += writeText(value);
    else if (typeof value !== 'object' || value === null) this.#text += writeScalar(value ?? null);
    else if (Array.isArray(value)) this.#start('[', { schema, value, keys: undefined, isSorted: true });
    else {
      const object = value as { readonly [key: string]: unknown };
      const isSorted = !this.#options.unordered || (schema.type !== 'map' && schema.type !== 'any');
      this.#start('{', { schema, value: object, keys: Object.keys(object), isSorted });
    }
  }

  #start(bracket: string, open: Pick<Open, 'schema' | 'value' | 'keys' | 'isSorted'>): void {
    this.#text += bracket;
    this.#open.push({ ...open, next: 0, separator: '' });
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
