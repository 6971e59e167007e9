import { compareKeys } from '../../json/compare-keys.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { KindSchema } from '../../schema/kind-schema.js';
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../schema/schema.js';
import { zeroScalar } from '../../schema/zero-scalar.js';
import { fieldElement, type PathElement } from './path-element.js';

/** The scalars that a type accepts; `untyped` accepts any. */
export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * The merge rules of values of a schema: the shapes they may have (of three), and for each whether it is merged or
 * replaced as a whole. Most types have one shape; those that accept anything have all.
 *
 * Upstream: Atom in sigs.k8s.io/structured-merge-diff/v6/schema/elements.go
 */
export interface MergeType {
  readonly map?: MergeMap;
  readonly scalar?: ScalarKind;
  readonly list?: MergeList;
}

/** A list: atomic, a set (no keys), or keyed by fields of its items. */
export interface MergeList {
  readonly atomic: boolean;
  readonly element: MergeType;
  /** As declared. */
  readonly keys: readonly string[];
  /** Sorted, as path elements have them. */
  readonly sortedKeys: readonly string[];
}

/** A struct or a map: atomic, or merged field by field. */
export interface MergeMap {
  readonly atomic: boolean;
  /** The type of undeclared keys; undefined if they are not allowed. */
  readonly element: MergeType | undefined;
  /** The declared fields. */
  readonly fields: ReadonlyMap<string, MergeField>;
}

/** A declared field. */
interface MergeField {
  readonly type: MergeType;
  readonly element: PathElement;
  /** Value of an absent field that is a key of its list; undefined if there is none. */
  readonly default: unknown;
  /** True for a list whose empty value counts as absent, although objects in memory keep it. */
  readonly omitsEmpty?: boolean;
}

/** Facts about the enclosing schema that change the meaning of a type. */
interface SchemaContext {
  readonly structural: boolean;
  /** True if an enclosing struct, map or list keeps undeclared fields; this applies to everything below it. */
  readonly preserves: boolean;
}

const TYPED: SchemaContext = { structural: false, preserves: false };

const NO_FIELDS: ReadonlyMap<string, MergeField> = new Map();

const UNTYPED: MergeType = { scalar: 'untyped' };

/** Anything, replaced as a whole. */
const UNTYPED_ATOMIC: MergeType = {
  scalar: 'untyped',
  map: {
    atomic: true,
    fields: NO_FIELDS,
    get element() {
      return UNTYPED_ATOMIC;
    },
  },
  list: {
    atomic: true,
    keys: [],
    sortedKeys: [],
    get element() {
      return UNTYPED_ATOMIC;
    },
  },
};

/** Values other than maps, where a schema has no type: lists are replaced. */
const ANY_TYPE = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], sortedKeys: [], element: UNTYPED_ATOMIC },
} as const satisfies MergeType;

/** Anything: maps merge key by key, lists are replaced. */
export const DEDUCED: MergeType = {
  ...ANY_TYPE,
  map: {
    atomic: false,
    fields: NO_FIELDS,
    get element() {
      return DEDUCED;
    },
  },
};

// Schemas never change, so the compiled type is cached with the schema, for each context.
const compiled = [0, 1, 2, 3].map(() => new WeakMap<Schema, MergeType>());

/**
 * The merge rules of a kind. Compiled on first use and kept with the schema; fields only on demand.
 *
 * Upstream: k8s.io/kube-openapi/pkg/schemaconv, which derives the same from OpenAPI
 */
export function mergeTypeOfKind({ schema, semantics }: Pick<KindSchema, 'schema' | 'semantics'>): MergeType {
  return typeIn(schema, { structural: semantics === 'structural', preserves: false });
}

function typeIn(schema: Schema, context: SchemaContext): MergeType {
  const types = compiled[(context.structural ? 1 : 0) + (context.preserves ? 2 : 0)] as WeakMap<Schema, MergeType>;
  let type = types.get(schema);
  if (type === undefined) {
    type = compile(schema, context);
    types.set(schema, type);
  }
  return type;
}

function compile(schema: Schema, context: SchemaContext): MergeType {
  switch (schema.type) {
    case 'struct':
      return { ...(schema.isAnyType === true && ANY_TYPE), map: new StructType(schema, context) };
    case 'map':
      return { map: mapType(schema, context) };
    case 'list':
      return { list: new ListType(schema, context) };
    case 'rawExtension':
      return UNTYPED_ATOMIC;
    case 'fieldsV1':
      return { map: { atomic: false, fields: NO_FIELDS, element: DEDUCED } };
    case 'unknown':
    case 'json':
    case 'any':
    case 'schemaOr':
      return DEDUCED;
    case 'intOrString':
      return context.structural ? DEDUCED : UNTYPED;
    case 'quantity':
    case 'time':
    case 'microTime':
      return UNTYPED;
    case 'bytes':
    case 'duration':
      return { scalar: 'string' };
    default:
      return { scalar: scalarKind(schema) };
  }
}

function scalarKind({ type, format = '' }: ScalarSchema): ScalarKind {
  if (type === 'bool') return 'boolean';
  if (type !== 'string') return 'numeric';
  return format === '' || format === 'byte' ? 'string' : 'untyped';
}

/** The context of what is in a struct, map or list. */
function contextIn({ preserveUnknownFields }: StructSchema | MapSchema | ListSchema, outer: SchemaContext) {
  return preserveUnknownFields === true ? { ...outer, preserves: true } : outer;
}

function mapType(schema: MapSchema, outer: SchemaContext): MergeMap {
  const context = contextIn(schema, outer);
  return {
    atomic: schema.mapType === 'atomic',
    fields: NO_FIELDS,
    get element() {
      return typeIn(schema.element, context);
    },
  };
}

class ListType implements MergeList {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly sortedKeys: readonly string[];
  readonly #schema: ListSchema;
  readonly #context: SchemaContext;

  constructor(schema: ListSchema, context: SchemaContext) {
    this.#schema = schema;
    this.#context = contextIn(schema, context);
    this.atomic = schema.listType === undefined || schema.listType === 'atomic';
    this.keys = schema.listType === 'map' ? (schema.keys ?? []) : [];
    this.sortedKeys = [...this.keys].sort(compareKeys);
  }

  get element(): MergeType {
    return typeIn(this.#schema.element, this.#context);
  }
}

class StructType implements MergeMap {
  readonly atomic: boolean;
  readonly #schema: StructSchema;
  readonly #context: SchemaContext;
  #fields: ReadonlyMap<string, MergeField> | undefined;

  constructor(schema: StructSchema, context: SchemaContext) {
    this.#schema = schema;
    this.#context = contextIn(schema, context);
    this.atomic = schema.mapType === 'atomic';
  }

  /** A struct without declared fields accepts any. */
  get element(): MergeType | undefined {
    const { fields, openFields } = this.#schema;
    return this.#context.preserves || openFields === true || fields.length === 0 ? DEDUCED : undefined;
  }

  get fields(): ReadonlyMap<string, MergeField> {
    this.#fields ??= this.#compileFields();
    return this.#fields;
  }

  /** A separate method: V8 would otherwise allocate the closure's context on every call. */
  #compileFields(): ReadonlyMap<string, MergeField> {
    return new Map(flatFields(this.#schema).map((field) => [field.name, fieldIn(field, this.#context)]));
  }
}

function fieldIn(field: FieldSchema, context: SchemaContext): MergeField {
  return {
    type: withMapType(typeIn(field.schema, isTypedMetadata(field) ? TYPED : context), field.mapType),
    element: fieldElement(field.name),
    default: field.default ?? (context.structural ? field.schema.default : zeroDefault(field)),
    omitsEmpty: field.keptWhenEmpty === true,
  };
}

/** Metadata of a custom resource has a definition name, unlike the types that its definition declares, and is typed. */
function isTypedMetadata({ schema }: FieldSchema): boolean {
  return schema.type === 'struct' && schema.name !== '';
}

/** The field's declaration overrides that of its type. */
function withMapType(type: MergeType, mapType: 'atomic' | 'granular' | undefined): MergeType {
  const atomic = mapType === 'atomic';
  if (mapType === undefined || type.map === undefined || type.map.atomic === atomic) return type;
  const { map } = type;
  return {
    ...type,
    map: {
      atomic,
      get element() {
        return map.element;
      },
      get fields() {
        return map.fields;
      },
    },
  };
}

/** The default that upstream's OpenAPI shows for a required field by value. */
function zeroDefault({ schema, pointer, omitEmpty }: FieldSchema): unknown {
  if (pointer || omitEmpty) return undefined;
  return zeroScalar(schema);
}
