import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import {
  ANY,
  BOOL,
  type Constraints,
  type FieldTuple,
  FLOAT64,
  INT_OR_STRING,
  INT64,
  type ListSchema,
  list,
  type MapSchema,
  map,
  OPTIONAL,
  type Schema,
  STRING,
  type StructSchema,
  struct,
} from '@apiserver/apimachinery/schema';
import { readNumbers } from './read-numbers.js';

/**
 * The structure of values in a structural schema: members, elements, nullability and defaults. `valueValidationOf`
 * has the other constraints.
 *
 * Upstream: NewStructural of k8s.io/apiextensions-apiserver/pkg/apiserver/schema
 */
export function schemaOf(props: JSONSchemaProps): Schema {
  const schema = typedSchemaOf(props);
  const otherShapes = otherShapesOf(props, schema);
  return otherShapes === undefined ? schema : { ...schema, otherShapes };
}

/** The declarations for objects and lists beside another type. */
function otherShapesOf(props: JSONSchemaProps, { type }: Schema): Constraints['otherShapes'] {
  const { properties, additionalProperties, items } = props;
  const isObject = type === 'struct' || type === 'map';
  // Schemas of lists and of anything keep unknown fields themselves; a scalar has no place for that.
  const isScalar = !isObject && type !== 'list' && type !== 'any';
  const declaresObject = (properties ?? additionalProperties) !== undefined || (isScalar && preserves(props));
  const object = isObject || !declaresObject ? {} : { object: objectOf(props, {}) };
  const list = type === 'list' || items === undefined ? {} : { list: listOf(props, {}) };
  return 'object' in object || 'list' in list ? { ...object, ...list } : undefined;
}

function typedSchemaOf(props: JSONSchemaProps): Schema {
  switch (props.type) {
    case 'string':
      // Server-side apply accepts values of any type for a string with a format.
      return constrained(props.format ? { ...STRING, format: props.format } : STRING, props);
    case 'integer':
      return constrained(INT64, props);
    case 'number':
      return constrained(FLOAT64, props);
    case 'boolean':
      return constrained(BOOL, props);
    case 'array':
      return listOf(props, constraintsOf(props));
    default:
      if (isIntOrString(props)) return constrained(INT_OR_STRING, props);
      return isAnything(props) ? constrained(ANY, props) : objectOf(props, constraintsOf(props));
  }
}

/** The schema itself where nothing constrains it: a definition may have tens of thousands of plain texts. */
function constrained(schema: Schema, props: JSONSchemaProps): Schema {
  if (props.nullable !== true && props.default === undefined) return schema;
  return { ...schema, ...constraintsOf(props) };
}

/** The declared fields of an object, in the form of a struct's fields. */
export function fieldsOf(props: JSONSchemaProps): readonly FieldTuple[] {
  const required = new Set(props.required ?? []);
  return Object.entries(props.properties ?? {}).map(([name, nested]) => {
    const flags = required.has(name) ? 0 : OPTIONAL;
    return [name, 0, schemaOf(nested), flags];
  });
}

/**
 * The fields of an embedded resource: it always has apiVersion, kind and metadata.
 *
 * Upstream: addEmbeddedProperties of k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
 */
function embeddedFieldsOf(props: JSONSchemaProps): readonly FieldTuple[] {
  const { apiVersion, kind } = props.properties ?? {};
  return [
    ...(apiVersion === undefined ? [['apiVersion', 0, UNDECLARED] satisfies FieldTuple] : []),
    ...(kind === undefined ? [['kind', 0, UNDECLARED] satisfies FieldTuple] : []),
    ['metadata', 0, ObjectMeta, OPTIONAL],
    ...fieldsOf(props).filter(([field]) => field !== 'metadata'),
  ];
}

/** A null is not dropped, as one that is declared: decoding refuses it. */
const UNDECLARED: Schema = { ...STRING, nullable: true };

function constraintsOf(props: JSONSchemaProps): Pick<Constraints, 'nullable' | 'default'> {
  return {
    ...(props.nullable === true && { nullable: true }),
    ...(props.default !== undefined && { default: readNumbers(props.default) }),
  };
}

function preservationOf(props: JSONSchemaProps): Pick<StructSchema, 'preserveUnknownFields'> {
  return preserves(props) ? { preserveUnknownFields: true } : {};
}

function preserves(props: JSONSchemaProps): boolean {
  return props['x-kubernetes-preserve-unknown-fields'] === true;
}

/** Beside a type or fields, an int-or-string is a matter of validation alone. */
function isIntOrString(props: JSONSchemaProps): boolean {
  return props['x-kubernetes-int-or-string'] === true && props.type === undefined && props.properties === undefined;
}

/** Reports whether a schema only preserves unknown fields. */
function isAnything(props: JSONSchemaProps): boolean {
  return (
    props.type === undefined &&
    props.properties === undefined &&
    props.additionalProperties === undefined &&
    props['x-kubernetes-preserve-unknown-fields'] === true
  );
}

function listOf(props: JSONSchemaProps, common: Partial<Constraints>): ListSchema {
  const { items } = props;
  const element = items === undefined || Array.isArray(items) ? ANY : schemaOf(items);
  const type = props['x-kubernetes-list-type'];
  const kind = type === 'map' ? (props['x-kubernetes-list-map-keys'] ?? []) : type;
  return {
    ...list(element, kind === 'set' || kind === 'atomic' || Array.isArray(kind) ? kind : undefined),
    ...common,
    ...preservationOf(props),
  };
}

function objectOf(props: JSONSchemaProps, common: Partial<Constraints>): MapSchema | StructSchema {
  const { additionalProperties: rest, 'x-kubernetes-map-type': mapType } = props;
  const kind: Pick<StructSchema, 'mapType'> = mapType === 'atomic' || mapType === 'granular' ? { mapType } : {};
  if (typeof rest === 'object' && props.properties === undefined) {
    return { ...map(schemaOf(rest)), ...kind, ...common, ...preservationOf(props) };
  }
  const isResource = props['x-kubernetes-embedded-resource'] === true;
  const { metadata } = props.properties ?? {};
  const object = struct('', 'object', () => (isResource ? embeddedFieldsOf(props) : fieldsOf(props)), kind);
  return {
    type: 'struct',
    name: '',
    goName: 'object',
    fields: object.fields,
    protobuf: false,
    ...kind,
    ...common,
    ...preservationOf(props),
    ...(props.type === undefined && { isAnyType: true }),
    ...(isResource && { embeddedResource: true }),
    ...(isResource && metadata !== undefined && { declaredMetadata: schemaOf(metadata) }),
    ...(rest !== undefined && { openFields: true }),
  };
}
