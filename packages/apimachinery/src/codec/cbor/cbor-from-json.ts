import type { StructSchema } from '../../schema/schema.js';
import { BackWriter } from '../from-json/back-writer.js';
import { OPEN_BRACE, OPEN_BRACKET } from '../from-json/json-tokens.js';
import { NotPlain, refuse, TokenReader } from '../from-json/token-reader.js';
import { MAJOR } from './cbor-cursor.js';
import { BASE64_LATER } from './cbor-value-writer.js';
import { type CborPlan, cborPlan, type MapPlan } from './map-plan.js';

const [FALSE, TRUE, NULL] = [20, 21, 22];

let encoder: CborFromJson | undefined;

/** The parts of converted objects besides their members. */
export interface CborItemOptions {
  /** Bytes before each one. */
  readonly prefix: Uint8Array;
  /** Items of lists are without their type. */
  readonly withoutType: boolean;
}

/**
 * The object in a JSON text as its encoder in CBOR writes it, without making the object. Undefined where only decoding
 * can tell.
 */
export function cborFromJson(schema: StructSchema, json: Uint8Array, options: CborItemOptions): Uint8Array | undefined {
  encoder ??= new CborFromJson();
  return encoder.encode(schema, json, options);
}

/** Items are written from their end, as messages of protobuf are. */
class CborFromJson {
  readonly #reader = new TokenReader();
  readonly #out = new BackWriter();

  encode(schema: StructSchema, json: Uint8Array, { prefix, withoutType }: CborItemOptions): Uint8Array | undefined {
    try {
      this.#reader.begin(json);
      this.#out.clear();
      this.#struct(cborPlan(schema).map, 0, withoutType);
      this.#out.all(prefix);
      return this.#out.copy();
    } catch (error) {
      if (error instanceof NotPlain) return undefined;
      throw error;
    }
  }

  #struct({ names, fields }: MapPlan, token: number, withoutType: boolean): void {
    const reader = this.#reader;
    const out = this.#out;
    const base = reader.members(names, token);
    let count = 0;
    for (let i = fields.length - 1; i >= 0; i--) {
      const field = fields[i];
      if (field === undefined) break;
      const member = reader.slots[base + field.index] ?? 0;
      if (member === 0) {
        if (field.isRequired) refuse();
        continue;
      }
      if (field.isAbsentWhenEmpty && reader.isEmpty(member)) refuse();
      if (withoutType && field.isType) {
        reader.requireText(member);
        continue;
      }
      if (!reader.isNull(member)) this.#value(field.value, member);
      else if (field.isNullable) this.#head(MAJOR.primitive, NULL);
      else refuse();
      out.all(field.key);
      count++;
    }
    reader.close(base);
    this.#head(MAJOR.map, count);
  }

  /** Writes a value that is not null. */
  #value(plan: CborPlan, token: number): void {
    const reader = this.#reader;
    switch (plan.type) {
      case 'string':
        this.#text(token);
        break;
      case 'struct':
        this.#struct(plan.map, token, false);
        break;
      case 'map':
        this.#members(plan.element, token);
        break;
      case 'list':
        this.#items(plan.element, token);
        break;
      case 'bool':
        this.#head(MAJOR.primitive, reader.boolean(token) ? TRUE : FALSE);
        break;
      case 'int32':
        this.#integer(reader.int32(token));
        break;
      case 'int64':
        this.#integer(reader.integer(token));
        break;
      default:
        this.#rare(plan.type, token);
    }
  }

  #rare(type: CborPlan['type'], token: number): void {
    const reader = this.#reader;
    switch (type) {
      case 'time':
        reader.seconds(token);
        this.#text(token);
        break;
      case 'microTime':
        reader.microTime(token);
        this.#text(token);
        break;
      case 'quantity':
        reader.requireQuantity(token);
        this.#text(token);
        break;
      case 'intOrString':
        if (reader.isText(token)) this.#text(token);
        else this.#integer(reader.int32(token));
        break;
      case 'bytes':
        this.#bytes(token);
        break;
      case 'fieldsV1':
      case 'rawExtension':
      case 'json':
        this.#plain(token);
        break;
      default:
        refuse();
    }
  }

  /** Writes a value without schema. */
  #plain(token: number): void {
    const reader = this.#reader;
    const first = reader.first(token);
    if (reader.isText(token)) this.#text(token);
    else if (first === OPEN_BRACE) this.#members(undefined, token);
    else if (first === OPEN_BRACKET) this.#items(undefined, token);
    else if (reader.isNull(token)) this.#head(MAJOR.primitive, NULL);
    else if (reader.isBoolean(token)) this.#head(MAJOR.primitive, reader.boolean(token) ? TRUE : FALSE);
    else this.#integer(reader.integer(token));
  }

  /** Writes an object without schema, or that of a map. */
  #members(element: CborPlan | undefined, token: number): void {
    const reader = this.#reader;
    const base = reader.namesByLength(token);
    const count = reader.top - base;
    for (let slot = reader.top - 1; slot >= base; slot--) {
      const name = reader.slots[slot] ?? 0;
      this.#item(element, name + 1);
      this.#text(name);
    }
    reader.close(base);
    this.#head(MAJOR.map, count);
  }

  #items(element: CborPlan | undefined, token: number): void {
    const reader = this.#reader;
    const base = reader.items(token);
    const count = reader.top - base;
    for (let slot = reader.top - 1; slot >= base; slot--) this.#item(element, reader.slots[slot] ?? 0);
    reader.close(base);
    this.#head(MAJOR.array, count);
  }

  #item(element: CborPlan | undefined, token: number): void {
    if (element === undefined) this.#plain(token);
    else if (this.#reader.isNull(token)) refuse();
    else this.#value(element, token);
  }

  #bytes(token: number): void {
    const bytes = this.#reader.base64(token);
    this.#out.all(bytes);
    this.#head(MAJOR.bytes, bytes.length);
    this.#head(MAJOR.tag, BASE64_LATER);
  }

  #text(token: number): void {
    const reader = this.#reader;
    reader.requireText(token);
    const start = reader.start(token) + 1;
    const end = reader.textEnd(token);
    this.#out.bytes(reader.tokens.memory, start, end);
    this.#head(MAJOR.bytes, end - start);
  }

  #integer(value: number): void {
    if (value >= 0) this.#head(MAJOR.unsigned, value);
    else this.#head(MAJOR.negative, -1 - value);
  }

  /** The head of an item: a length, a count, a number. */
  #head(major: number, argument: number): void {
    const out = this.#out;
    const first = major << 5;
    if (argument < 24) {
      out.byte(first | argument);
      return;
    }
    const size = argument < 0x100 ? 0 : argument < 0x1_0000 ? 1 : argument < 0x1_0000_0000 ? 2 : 3;
    let rest = argument;
    for (let i = 0; i < 1 << size; i++) {
      out.byte(rest % 0x100);
      rest = Math.floor(rest / 0x100);
    }
    out.byte(first | (24 + size));
  }
}
