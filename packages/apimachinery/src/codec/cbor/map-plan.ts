import { flatFields } from '../../schema/flat-fields.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { type CompiledField, compiledStruct } from '../canonical/canonicalize.js';
import { FieldNames } from '../from-json/field-names.js';
import { byEncoding } from './cbor-key-order.js';
import { CborWriter } from './cbor-writer.js';

/** A schema, as it is written from JSON. */
export class CborPlan {
  readonly type: Schema['type'];
  /** Plan of items or members. */
  readonly element: CborPlan | undefined;
  readonly #schema: Schema;
  #map: MapPlan | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.type = schema.type;
    this.element = schema.type === 'list' || schema.type === 'map' ? cborPlan(schema.element) : undefined;
  }

  /** For a struct; compiled on first use, because a struct may contain itself. */
  get map(): MapPlan {
    if (this.#map === undefined) {
      if (this.#schema.type !== 'struct') throw new TypeError(`${this.type} has no members`);
      this.#map = new MapPlan(this.#schema);
    }
    return this.#map;
  }
}

/** A field. */
export interface CborFieldPlan {
  /** Its name in CBOR. */
  readonly key: Uint8Array;
  /** Its index in JSON. */
  readonly index: number;
  readonly value: CborPlan;
  /** A canonical object always has it. */
  readonly isRequired: boolean;
  /** A canonical object may have it as null. */
  readonly isNullable: boolean;
  /** A canonical object lacks it where it is empty or zero. */
  readonly isAbsentWhenEmpty: boolean;
  /** It is `kind` or `apiVersion`, which items of lists lack. */
  readonly isType: boolean;
}

/** A struct. */
export class MapPlan {
  readonly names: FieldNames;
  /** In the order of their encoded names. */
  readonly fields: readonly CborFieldPlan[];

  constructor(schema: StructSchema) {
    const flat = flatFields(schema);
    this.names = new FieldNames(flat);
    const { fields } = compiledStruct(schema);
    this.fields = fields
      .toSorted((a, b) => byEncoding(a.name, b.name))
      .map((field) => fieldPlan(field, flat[field.index]?.schema));
  }
}

function fieldPlan(field: CompiledField, schema: Schema | undefined): CborFieldPlan {
  if (schema === undefined) throw new TypeError(`no field ${field.index}`);
  const { name, index, zero } = field;
  const key = new CborWriter();
  key.text(name);
  return {
    key: Uint8Array.from(key.finish()),
    index,
    value: cborPlan(schema),
    isRequired: zero !== undefined,
    isNullable: zero !== undefined && zero() === null,
    isAbsentWhenEmpty: field.isDropped(emptyOf(schema)),
    isType: name === 'kind' || name === 'apiVersion',
  };
}

/** The empty value of a type; undefined if there is none. */
function emptyOf({ type }: Schema): unknown {
  switch (type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
      return 0;
    case 'list':
      return [];
    case 'map':
      return {};
    default:
      return undefined;
  }
}

const plans = new WeakMap<Schema, CborPlan>();

/** The plan of a schema: always the same. */
export function cborPlan(schema: Schema): CborPlan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = new CborPlan(schema);
    plans.set(schema, plan);
  }
  return plan;
}
