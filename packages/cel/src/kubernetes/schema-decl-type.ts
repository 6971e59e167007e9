import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, PRESERVED, STRING, TIMESTAMP } from '../types/cel-type.js';
import { type DeclType, type ListKind, listDecl, mapDecl, unnamedStruct } from './decl-type.js';
import { escapeField } from './escape-field.js';

/** The parts of an OpenAPI schema that decide on types and bounds. */
export interface CelSchema {
  readonly type?: string;
  readonly format?: string;
  readonly items?: CelSchema;
  readonly properties?: Readonly<Record<string, CelSchema>>;
  readonly additionalProperties?: CelSchema | boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** Most bytes of a request. */
const MAX_REQUEST = 3 * 1024 * 1024;
/** Bytes of a string in JSON that is as long as a request allows, without its quotes. */
const MAX_STRING = MAX_REQUEST - 2;
/** Bytes of a date, a date-time and a duration in JSON. */
const DATE_SIZE = 12;
const MIN_DATE_TIME = 21;
const MAX_DATE_TIME = 32;
const MIN_DURATION = 3;
const MAX_DURATION = 32;
/** Most bytes of UTF-8 of a code point: maxLength counts code points. */
const BYTES_PER_CODE_POINT = 4;

const TYPE_META: CelSchema = { type: 'string' };
const OBJECT_META: CelSchema = { type: 'object', properties: { name: TYPE_META, generateName: TYPE_META } };

/**
 * The type that expressions see of a schema; undefined for a schema whose values they can't see.
 *
 * Upstream: SchemaDeclType in k8s.io/apiserver/pkg/cel/common/schemas.go
 */
export function schemaDeclType(schema: CelSchema, resourceRoot: boolean): DeclType | undefined {
  const decl = declTypeOf(schema, resourceRoot);
  return decl !== undefined && schema.nullable === true ? { ...decl, nullable: true } : decl;
}

function declTypeOf(schema: CelSchema, resourceRoot: boolean): DeclType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { type: DYN, minSize: 1, maxElements: maxUnits(schema) ?? MAX_STRING, intOrString: true };
  }
  const root = resourceRoot ? withObjectMeta(schema) : schema;
  switch (root.type) {
    case 'array':
      return arrayType(root);
    case 'object':
      return isMap(root) ? mapType(root) : objectType(root);
    case 'string':
      return stringType(root);
    case 'boolean':
      return { type: BOOL, minSize: 4 };
    case 'number':
      return { type: DOUBLE, minSize: 1 };
    case 'integer':
      return { type: INT, minSize: 1 };
    default:
      return undefined;
  }
}

function arrayType(schema: CelSchema): DeclType | undefined {
  const { items, maxItems } = schema;
  const element = items && schemaDeclType(items, items['x-kubernetes-embedded-resource'] === true);
  if (element === undefined) return undefined;
  const bound = maxItems === undefined ? Math.floor((MAX_REQUEST - 2) / (element.minSize + 1)) : atLeastZero(maxItems);
  return { ...listDecl(element, bound), listKind: listKindOf(schema) };
}

function listKindOf(schema: CelSchema): ListKind {
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return { type: 'map', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
    case 'set':
      return { type: 'set' };
    default:
      return { type: 'atomic' };
  }
}

function isMap({ additionalProperties }: CelSchema): boolean {
  return typeof additionalProperties === 'object';
}

function mapType({ additionalProperties, maxProperties }: CelSchema): DeclType | undefined {
  if (typeof additionalProperties !== 'object') return undefined;
  const embedded = additionalProperties['x-kubernetes-embedded-resource'] === true;
  const element = schemaDeclType(additionalProperties, embedded);
  if (element === undefined) return undefined;
  const bound =
    maxProperties === undefined ? Math.floor((MAX_REQUEST - 2) / (element.minSize + 6)) : atLeastZero(maxProperties);
  return mapDecl(element, bound);
}

function objectType({ properties = {}, required = [] }: CelSchema): DeclType {
  const fields = new Map<string, DeclType>();
  const types = new Map<string, DeclType>();
  let minSize = 2;
  for (const [name, property] of Object.entries(properties)) {
    const type = schemaDeclType(property, property['x-kubernetes-embedded-resource'] === true);
    types.set(name, type ?? preservedType(property));
    if (type === undefined) continue;
    const field = escapeField(name);
    if (field !== undefined) fields.set(field, type);
    if (required.includes(name) && property.default === undefined) {
      minSize += Buffer.byteLength(name) + type.minSize + 4;
    }
  }
  return { ...unnamedStruct(fields, minSize), properties: types };
}

/** The type of a property that expressions do not declare. They see it in objects of any type. */
function preservedType(schema: CelSchema): DeclType {
  const { type, items, additionalProperties, nullable = false } = schema;
  if (type === 'array' && items !== undefined) {
    return { ...listDecl(preservedType(items), 0), listKind: listKindOf(schema), nullable };
  }
  if (type === 'object' && typeof additionalProperties === 'object') {
    return { ...mapDecl(preservedType(additionalProperties), 0), nullable };
  }
  return { type: PRESERVED, minSize: 0, nullable };
}

function stringType(schema: CelSchema): DeclType {
  switch (schema.format) {
    case 'byte': {
      const { maxLength } = schema;
      return { type: BYTES, minSize: 2, maxElements: maxLength === undefined ? MAX_STRING : atLeastZero(maxLength) };
    }
    case 'duration':
      return { type: DURATION, minSize: MIN_DURATION, maxElements: MAX_DURATION };
    case 'date':
      return { type: TIMESTAMP, minSize: DATE_SIZE, maxElements: DATE_SIZE, date: true };
    case 'date-time':
      return { type: TIMESTAMP, minSize: MIN_DATE_TIME, maxElements: MAX_DATE_TIME };
    default:
      return { type: STRING, minSize: 2, maxElements: maxUnits(schema) ?? longestOf(schema.enum) ?? MAX_STRING };
  }
}

function maxUnits({ maxLength }: CelSchema): number | undefined {
  return maxLength === undefined ? undefined : atLeastZero(maxLength) * BYTES_PER_CODE_POINT;
}

function longestOf(values: readonly unknown[] | undefined): number | undefined {
  if (values === undefined || values.length === 0) return undefined;
  return Math.max(0, ...values.filter((value) => typeof value === 'string').map((value) => Buffer.byteLength(value)));
}

/** The root of a resource always has its type and its metadata. */
function withObjectMeta(schema: CelSchema): CelSchema {
  const properties = schema.properties ?? {};
  const { kind, apiVersion, metadata } = properties;
  const { name, generateName } = metadata?.properties ?? {};
  const strings = [kind, apiVersion, name, generateName].every((property) => property?.type === 'string');
  if (strings && metadata?.type === 'object') return schema;
  return { ...schema, properties: { ...properties, kind: TYPE_META, apiVersion: TYPE_META, metadata: OBJECT_META } };
}

function atLeastZero(bound: number): number {
  return Math.max(bound, 0);
}
