import type {
  BytesSchema,
  FieldSchema,
  IntOrStringSchema,
  ListSchema,
  MapSchema,
  PatchStrategy,
  QuantitySchema,
  RawSchema,
  ScalarSchema,
  Schema,
  SchemaOrSchema,
  StructSchema,
  TimeSchema,
  UnionSchema,
} from './schema.js';

/** Flags of a field tuple, combined by addition. This one: omitempty. */
export const OMIT_EMPTY = 1;
/** The field's Go type is a pointer. */
export const POINTER = 2;
/** Not in OpenAPI's `required` although it is always written. */
export const OPTIONAL = 4;
/** Omitted when it is its type's zero value. */
export const OMIT_ZERO = 8;
/** The struct's fields replace this one; the name is ignored. */
export const INLINE = 16;

/** In OpenAPI's `required` although it may be omitted. */
export const REQUIRED = 32;

/** The rarer attributes of a field. */
interface FieldExtras {
  readonly patchStrategy?: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly default?: unknown;
  readonly featureGates?: readonly string[];
  readonly keptWhenEmpty?: boolean;
  readonly mapType?: 'atomic' | 'granular';
}

/** A field in generated code: JSON name, protobuf number (0: none), schema, flags, extras. */
export type FieldTuple = readonly [name: string, proto: number, schema: Schema, flags?: number, extras?: FieldExtras];

/** The rarer attributes of a struct. */
export interface StructExtras {
  readonly mapType?: 'atomic' | 'granular';
  readonly protobuf?: boolean;
  readonly unions?: readonly UnionSchema[];
}

/** The schemas without parameters, by the Go types of upstream's fields. */
export const STRING: ScalarSchema = { type: 'string', goName: 'string' };
export const BOOL: ScalarSchema = { type: 'bool', goName: 'bool' };
export const INT32: ScalarSchema = { type: 'int32', goName: 'int32' };
export const INT64: ScalarSchema = { type: 'int64', goName: 'int64' };
export const FLOAT64: ScalarSchema = { type: 'float64', goName: 'float64' };
export const BYTES: BytesSchema = { type: 'bytes', goName: '[]uint8' };
export const INT_OR_STRING: IntOrStringSchema = { type: 'intOrString' };
export const QUANTITY: QuantitySchema = { type: 'quantity' };
export const TIME: TimeSchema = { type: 'time' };
export const MICRO_TIME: TimeSchema = { type: 'microTime' };
export const RAW_EXTENSION: RawSchema = { type: 'rawExtension' };
export const UNKNOWN: RawSchema = { type: 'unknown' };
export const DURATION: TimeSchema = { type: 'duration' };
export const FIELDS_V1: RawSchema = { type: 'fieldsV1' };
export const JSON_VALUE: RawSchema = { type: 'json' };
export const ANY: RawSchema = { type: 'any' };

/** A named string type (`v1.Protocol`), with its values if OpenAPI lists them. */
export function named(goName: string, values?: readonly string[]): ScalarSchema {
  return values === undefined ? { type: 'string', goName } : { type: 'string', goName, enum: values };
}

/** A list of `element`: atomic, a set, or a map keyed by the named fields; undeclared when left out. */
export function list(element: Schema, kind?: 'atomic' | 'set' | readonly string[]): ListSchema {
  const base = { type: 'list', element, goName: `[]${goNameOf(element)}` } as const;
  if (kind === undefined) return base;
  if (typeof kind === 'string') return { ...base, listType: kind };
  return { ...base, listType: 'map', keys: kind };
}

/** A named list type, which protobuf wraps in a message of its own. */
export function wrappedList(goName: string, element: Schema): ListSchema {
  return { type: 'list', element, goName, wrapped: true };
}

/** A map from strings to `element`. `goName` names a named map type; `keyName` a named key type. */
export function map(element: Schema, goName?: string, keyName = 'string'): MapSchema {
  return { type: 'map', element, goName: goName ?? `map[${keyName}]${goNameOf(element)}` };
}

/** The same schema with constraints or other attributes of its type added. */
export function constrained<S extends Schema>(schema: S, constraints: Partial<S>): S {
  return { ...schema, ...constraints };
}

/** A struct; `fields` makes its fields on first use. */
export function struct(
  name: string,
  goName: string,
  fields: () => readonly FieldTuple[],
  extras: StructExtras = {},
): StructSchema {
  return new LazyStruct(name, goName, fields, extras);
}

/** JSONSchemaProps or an alternative. */
export function schemaOr(
  name: string,
  goName: string,
  alternative: SchemaOrSchema['alternative'],
  props: StructSchema,
): SchemaOrSchema {
  return { type: 'schemaOr', name, goName, alternative, props };
}

/** The type's name as decode errors print it. */
export function goNameOf(schema: Schema): string {
  switch (schema.type) {
    case 'intOrString':
      return 'intstr.IntOrString';
    case 'quantity':
      return 'resource.Quantity';
    case 'time':
      return 'v1.Time';
    case 'microTime':
      return 'v1.MicroTime';
    case 'duration':
      return 'v1.Duration';
    case 'rawExtension':
      return 'runtime.RawExtension';
    case 'unknown':
      return 'runtime.Unknown';
    case 'fieldsV1':
      return 'v1.FieldsV1';
    case 'json':
      return 'v1.JSON';
    case 'any':
      return 'interface {}';
    default:
      return schema.goName;
  }
}

class LazyStruct implements StructSchema {
  readonly type = 'struct';
  readonly name: string;
  readonly goName: string;
  readonly protobuf: boolean;
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly UnionSchema[];
  #make: (() => readonly FieldTuple[]) | undefined;
  #fields: readonly FieldSchema[] = [];

  constructor(name: string, goName: string, make: () => readonly FieldTuple[], extras: StructExtras) {
    this.name = name;
    this.goName = goName;
    this.protobuf = extras.protobuf ?? true;
    if (extras.mapType !== undefined) this.mapType = extras.mapType;
    if (extras.unions !== undefined) this.unions = extras.unions;
    this.#make = make;
  }

  get fields(): readonly FieldSchema[] {
    if (this.#make !== undefined) {
      this.#fields = this.#make().map(fieldOf);
      this.#make = undefined;
    }
    return this.#fields;
  }
}

function fieldOf([name, proto, schema, flags = 0, extras = {}]: FieldTuple): FieldSchema {
  return {
    name,
    schema,
    proto,
    inline: (flags & INLINE) !== 0,
    pointer: (flags & POINTER) !== 0,
    omitEmpty: (flags & OMIT_EMPTY) !== 0,
    omitZero: (flags & OMIT_ZERO) !== 0,
    optional: (flags & (OPTIONAL | OMIT_EMPTY)) !== 0 && (flags & REQUIRED) === 0,
    ...extras,
  };
}
