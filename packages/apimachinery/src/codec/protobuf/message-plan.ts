import { flatFields } from '../../schema/flat-fields.js';
import type { FieldSchema, Schema, StructSchema } from '../../schema/schema.js';
import { FieldNames } from '../from-json/field-names.js';
import { encodeMessage } from './encode-protobuf.js';

/** The wire types that occur. */
const VARINT = 0;
export const LENGTH = 2;

/** A schema, as it is written from JSON. */
export class ValuePlan {
  readonly type: Schema['type'];
  /** Plan of items or entries. */
  readonly element: ValuePlan | undefined;
  /** A list that is a message of its own. */
  readonly isWrapped: boolean;
  /** Wire type in the tag. */
  readonly wireType: typeof VARINT | typeof LENGTH;
  readonly #schema: Schema;
  #message: MessagePlan | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.type = schema.type;
    this.wireType = isVarint(schema) ? VARINT : LENGTH;
    this.element = schema.type === 'list' || schema.type === 'map' ? valuePlan(schema.element) : undefined;
    this.isWrapped = schema.type === 'list' && schema.wrapped === true;
  }

  /** For a struct; compiled on first use, because a struct may contain itself. */
  get message(): MessagePlan {
    if (this.#message === undefined) {
      if (this.#schema.type !== 'struct') throw new TypeError(`${this.type} has no members`);
      this.#message = new MessagePlan(this.#schema);
    }
    return this.#message;
  }
}

/** A field, or an inline struct, which is a message of its own. */
export interface FieldPlan {
  /** Its number. */
  readonly proto: number;
  /** Index of the field in JSON; -1 for an inline struct. */
  readonly index: number;
  readonly value: ValuePlan;
  /** The bytes of the absent field. */
  readonly absent: Uint8Array;
  /** JSON leaves it out where it is empty, and protobuf does not. */
  readonly isAbsentWhenEmpty: boolean;
  /** Those of an inline struct. */
  readonly inline: readonly FieldPlan[] | undefined;
}

/** A struct. */
export class MessagePlan {
  readonly names: FieldNames;
  /** From the greatest number to the least. */
  readonly fields: readonly FieldPlan[];
  /** Indexes of fields that it lacks. */
  readonly missing: readonly number[];
  /** Indexes of `kind` and `apiVersion`; -1 for none. */
  readonly kind: number;
  readonly apiVersion: number;

  constructor(schema: StructSchema) {
    const flat = flatFields(schema);
    this.names = new FieldNames(flat);
    this.fields = fieldPlans(schema, flat);
    const written = new Set(indexesOf(this.fields));
    this.missing = flat.flatMap((_, index) => (written.has(index) ? [] : [index]));
    const missing = (name: string) => this.missing.find((index) => flat[index]?.name === name) ?? -1;
    this.kind = missing('kind');
    this.apiVersion = missing('apiVersion');
  }
}

function indexesOf(fields: readonly FieldPlan[]): readonly number[] {
  return fields.flatMap(({ index, inline }) => (inline === undefined ? [index] : indexesOf(inline)));
}

function fieldPlans(schema: StructSchema, flat: readonly FieldSchema[]): readonly FieldPlan[] {
  const numbered = schema.fields.filter(({ proto }) => proto > 0).sort((a, b) => b.proto - a.proto);
  return numbered.map((field) => fieldPlan(field, flat));
}

function fieldPlan(field: FieldSchema, flat: readonly FieldSchema[]): FieldPlan {
  const { schema, proto, inline, omitEmpty } = field;
  const isMessage = inline && schema.type === 'struct';
  return {
    proto,
    index: isMessage ? -1 : flat.indexOf(field),
    value: valuePlan(schema),
    absent: isMessage ? new Uint8Array() : encodeMessage(structOf(field), {}),
    isAbsentWhenEmpty: schema.type === 'bytes' && omitEmpty,
    inline: isMessage ? fieldPlans(schema, flat) : undefined,
  };
}

function isVarint({ type }: Schema): boolean {
  return type === 'bool' || type === 'int32' || type === 'int64';
}

function structOf(field: FieldSchema): StructSchema {
  return { type: 'struct', name: '', goName: '', protobuf: true, fields: [field] };
}

const plans = new WeakMap<Schema, ValuePlan>();

/** The plan of a schema: always the same. */
export function valuePlan(schema: Schema): ValuePlan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = new ValuePlan(schema);
    plans.set(schema, plan);
  }
  return plan;
}
