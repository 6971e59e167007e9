import { WireType } from '@bufbuild/protobuf/wire';
import type { SchemaOrSchema } from '../../schema/schema.js';
import { expectWireType, type ProtobufReader, VALUE_COST } from './protobuf-reader.js';

/** Names of fields that hold no single schema. */
const PART_NAMES: Readonly<Record<string, string>> = { 'array 2': 'JSONSchemas', 'stringArray 2': 'Property' };

/** The message of a SchemaOr, while its fields are read. */
export class SchemaOrMessage {
  readonly #alternative: SchemaOrSchema['alternative'];
  readonly #reader: ProtobufReader;
  #allows = false;
  #single: unknown;
  readonly #items: unknown[] = [];

  constructor({ alternative }: SchemaOrSchema, reader: ProtobufReader) {
    this.#alternative = alternative;
    this.#reader = reader;
  }

  /** Reads a field. Returns false for an unknown one, and `schema` for one that the caller has to read. */
  take(field: number, wireType: WireType): boolean | 'schema' {
    if (field !== 1 && field !== 2) return false;
    if (this.#alternative === 'bool' && field === 1) {
      expectWireType(wireType, WireType.Varint, 'Allows');
      this.#allows = this.#reader.wire.bool();
      return true;
    }
    expectWireType(wireType, WireType.LengthDelimited, PART_NAMES[`${this.#alternative} ${field}`] ?? 'Schema');
    if (this.#alternative !== 'stringArray' || field !== 2) return 'schema';
    this.#items.push(this.#reader.string());
    return true;
  }

  /** The schema from earlier pieces of its message. */
  before(field: number): unknown {
    if (this.#isItem(field)) return undefined;
    if (this.#single !== undefined) this.#reader.spend(VALUE_COST);
    return this.#single;
  }

  add(field: number, schema: unknown): void {
    if (this.#isItem(field)) this.#items.push(schema);
    else this.#single = schema;
  }

  value(): unknown {
    if (this.#items.length > 0) return this.#items;
    return this.#single ?? (this.#alternative === 'bool' ? this.#allows : null);
  }

  #isItem(field: number): boolean {
    return this.#alternative === 'array' && field === 2;
  }
}
