import { compareKeys } from '../../json/compare-keys.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { KindSchema } from '../../schema/kind-schema.js';
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../schema/schema.js';
import { zeroScalar } from '../../schema/zero-scalar.js';
import { fieldElement, type PathElement } from './path-element.js';

/** What scalars a type takes; `untyped` takes any. */
export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * How values of a schema merge, or whether they do: which of the three shapes they may have, and for each of it what is
 * merged and what is replaced as a whole. Most types have one shape; those that stand for anything have all.
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
  /** The type of keys that are no declared fields; undefined when there may be none. */
  readonly element: MergeType | undefined;
  /** The declared fields. */
  readonly fields: ReadonlyMap<string, MergeField>;
}

/** A declared field. */
export interface MergeField {
  readonly type: MergeType;
  readonly element: PathElement;
  /** Stands for the field where it is a key of its list and absent; undefined when there is none. */
  readonly default: unknown;
}

/** Facts about the schema around a type that change what it means. */
interface Surroundings {
  readonly structural: boolean;
  /** Something above keeps fields that are not declared, and so does everything below it. */
  readonly preserves: boolean;
}

const TYPED: Surroundings = { structural: false, preserves: false };

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

/** Anything; what turns out to be a map merges key by key, lists are replaced. */
export const DEDUCED: MergeType = {
  scalar: 'untyped',
  map: {
    atomic: false,
    fields: NO_FIELDS,
    get element() {
      return DEDUCED;
    },
  },
  list: { atomic: true, keys: [], sortedKeys: [], element: UNTYPED_ATOMIC },
};

// Schemas never change, so what is compiled from one is kept with it, for each of the surroundings it is met in.
const compiled = [0, 1, 2, 3].map(() => new WeakMap<Schema, MergeType>());

/**
 * How values of a schema merge. Compiled on first use and kept with the schema; fields only when they are needed.
 *
 * Upstream: k8s.io/kube-openapi/pkg/schemaconv, which makes the same of OpenAPI
 */
export function mergeTypeOf(schema: Schema, semantics: 'typed' | 'structural'): MergeType {
  return typeIn(schema, { structural: semantics === 'structural', preserves: false });
}

/** How objects of a kind merge. */
export function mergeTypeOfKind({ schema, semantics }: Pick<KindSchema, 'schema' | 'semantics'>): MergeType {
  return mergeTypeOf(schema, semantics);
}

function typeIn(schema: Schema, around: Surroundings): MergeType {
  const types = compiled[(around.structural ? 1 : 0) + (around.preserves ? 2 : 0)] as WeakMap<Schema, MergeType>;
  let type = types.get(schema);
  if (type === undefined) {
    type = compile(schema, around);
    types.set(schema, type);
  }
  return type;
}

function compile(schema: Schema, around: Surroundings): MergeType {
  switch (schema.type) {
    case 'struct':
      return { map: new StructType(schema, around) };
    case 'map':
      return { map: mapType(schema, around) };
    case 'list':
      return { list: new ListType(schema, around) };
    case 'rawExtension':
    case 'fieldsV1':
      return { map: { atomic: false, fields: NO_FIELDS, element: DEDUCED } };
    case 'unknown':
    case 'json':
    case 'any':
    case 'schemaOr':
      return DEDUCED;
    case 'intOrString':
      return around.structural ? DEDUCED : UNTYPED;
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

function mapType(schema: MapSchema, around: Surroundings): MergeMap {
  return {
    atomic: schema.mapType === 'atomic',
    fields: NO_FIELDS,
    get element() {
      return typeIn(schema.element, around);
    },
  };
}

class ListType implements MergeList {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly sortedKeys: readonly string[];
  readonly #schema: ListSchema;
  readonly #around: Surroundings;

  constructor(schema: ListSchema, around: Surroundings) {
    this.#schema = schema;
    this.#around = around;
    this.atomic = schema.listType === undefined || schema.listType === 'atomic';
    this.keys = schema.listType === 'map' ? (schema.keys ?? []) : [];
    this.sortedKeys = [...this.keys].sort(compareKeys);
  }

  get element(): MergeType {
    return typeIn(this.#schema.element, this.#around);
  }
}

class StructType implements MergeMap {
  readonly atomic: boolean;
  readonly #schema: StructSchema;
  readonly #around: Surroundings;
  #fields: ReadonlyMap<string, MergeField> | undefined;

  constructor(schema: StructSchema, around: Surroundings) {
    this.#schema = schema;
    this.#around = schema.preserveUnknownFields === true ? { ...around, preserves: true } : around;
    this.atomic = schema.mapType === 'atomic';
  }

  /** A struct that declares no fields takes any. */
  get element(): MergeType | undefined {
    const { fields, openFields } = this.#schema;
    return this.#around.preserves || openFields === true || fields.length === 0 ? DEDUCED : undefined;
  }

  get fields(): ReadonlyMap<string, MergeField> {
    this.#fields ??= this.#compileFields();
    return this.#fields;
  }

  /** Apart: a function with a closure in it makes room for what that captures whenever it is called. */
  #compileFields(): ReadonlyMap<string, MergeField> {
    return new Map(flatFields(this.#schema).map((field) => [field.name, fieldIn(field, this.#around)]));
  }
}

function fieldIn(field: FieldSchema, around: Surroundings): MergeField {
  return {
    type: withMapType(typeIn(field.schema, isTypedMetadata(field) ? TYPED : around), field.mapType),
    element: fieldElement(field.name),
    default: field.default ?? (around.structural ? field.schema.default : zeroDefault(field)),
  };
}

/** Metadata of a custom resource has a name, unlike all that its definition declares, and is typed as anywhere. */
function isTypedMetadata({ schema }: FieldSchema): boolean {
  return schema.type === 'struct' && schema.name !== '';
}

/** The field's declaration goes before that of its type. */
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

/** The default that upstream's OpenAPI shows for a field by value that is always there. */
function zeroDefault({ schema, pointer, omitEmpty }: FieldSchema): unknown {
  if (pointer || omitEmpty) return undefined;
  return zeroScalar(schema);
}
