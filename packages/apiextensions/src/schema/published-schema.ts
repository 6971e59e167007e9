import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { Json, JsonObject } from '@apiserver/apimachinery';

/**
 * Converts a structural schema to OpenAPI. Empty members are omitted; version 2 has no junctors.
 *
 * Upstream: ToKubeOpenAPI of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/kubeopenapi.go
 */
export function publishedSchema(given: JSONSchemaProps, version: 'v2' | 'v3'): JsonObject {
  const props = version === 'v2' ? inVersion2(given) : given;
  const { items, properties, additionalProperties: rest } = props;
  const published = (nested: JSONSchemaProps) => publishedSchema(nested, version);
  // A definition may have tens of thousands of schemas: spreads would take most of the time.
  const schema = shownMembers(props);
  if (items !== undefined && !Array.isArray(items)) schema['items'] = published(items);
  if (hasMembers(properties)) schema['properties'] = mapped(properties, published);
  if (rest !== undefined) schema['additionalProperties'] = typeof rest === 'boolean' ? rest : published(rest);
  return version === 'v3' ? Object.assign(schema, junctors(withEitherType(props))) : schema;
}

/** Keywords other than those for members or elements. */
const SHOWN = [
  'type',
  'description',
  'title',
  'externalDocs',
  'nullable',
  'default',
  'example',
  'format',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const satisfies readonly (keyof JSONSchemaProps)[];

/** Their order in documents. */
const RANKS: ReadonlyMap<string, number> = new Map(SHOWN.map((name, rank) => [name, rank]));

/** Literals are always published; other members only if they are neither Go's zero value nor empty. */
function shownMembers(props: JSONSchemaProps): JsonObject {
  const names = Object.keys(props).filter((name) => RANKS.has(name));
  if (names.length > 1) names.sort((a, b) => rankOf(a) - rankOf(b));
  const shown: JsonObject = {};
  for (const name of names) {
    const value: unknown = Reflect.get(props, name);
    if (value !== undefined && value !== null && isShown(name, value)) shown[name] = value as Json;
  }
  return shown;
}

function rankOf(name: string): number {
  return RANKS.get(name) ?? 0;
}

function isShown(name: string, value: unknown): boolean {
  const isLiteral = name === 'default' || name === 'example';
  return isLiteral || !(value === false || value === '' || (Array.isArray(value) && value.length === 0));
}

type Junctors = Pick<JSONSchemaProps, 'allOf' | 'anyOf' | 'oneOf' | 'not'>;

function junctors({ allOf, anyOf, oneOf, not }: Junctors): JsonObject {
  return {
    ...(allOf && allOf.length > 0 && { allOf: allOf.map(publishedValidation) }),
    ...(anyOf && anyOf.length > 0 && { anyOf: anyOf.map(publishedValidation) }),
    ...(oneOf && oneOf.length > 0 && { oneOf: oneOf.map(publishedValidation) }),
    ...(not && { not: publishedValidation(not) }),
  };
}

/** The published members of a schema in a junctor: all except `additionalProperties`. */
function publishedValidation(props: JSONSchemaProps): JsonObject {
  const { items, properties } = props;
  return {
    ...shownMembers(props),
    ...(items !== undefined && !Array.isArray(items) && { items: publishedValidation(items) }),
    ...(hasMembers(properties) && { properties: mapped(properties, publishedValidation) }),
    ...junctors(props),
  };
}

/**
 * Expresses an int-or-string as `anyOf`, unless the schema does.
 *
 * Upstream: Unfold of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/unfold.go
 */
function withEitherType(props: JSONSchemaProps): Junctors {
  const { allOf = [], anyOf } = props;
  if (props['x-kubernetes-int-or-string'] !== true) return props;
  if (isEitherType(anyOf) || isEitherType(allOf?.[0]?.anyOf)) return props;
  const either: JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];
  if (anyOf === undefined || anyOf === null || anyOf.length === 0) return { ...props, anyOf: either };
  return { ...props, allOf: [{ anyOf: either }, ...(allOf ?? [])] };
}

function isEitherType(anyOf: readonly JSONSchemaProps[] | null | undefined): boolean {
  const [integer, text, ...others] = anyOf ?? [];
  return others.length === 0 && isOnlyType(integer, 'integer') && isOnlyType(text, 'string');
}

function isOnlyType(props: JSONSchemaProps | undefined, type: string): boolean {
  return props?.type === type && Object.keys(props).length === 1;
}

function hasMembers<T>(map: Readonly<Record<string, T>> | undefined): map is Readonly<Record<string, T>> {
  return map !== undefined && Object.keys(map).length > 0;
}

function mapped<T>(map: Readonly<Record<string, T>>, convert: (value: T) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(value)]));
}

/**
 * One node of a schema without keywords that OpenAPI version 2 lacks or its clients reject. Child nodes stay
 * unchanged.
 *
 * Upstream: ToStructuralOpenAPIV2 of k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go
 */
function inVersion2(props: JSONSchemaProps): JSONSchemaProps {
  const { default: _default, nullable, type, items, properties, required, ...kept } = props;
  const { additionalProperties: rest, 'x-kubernetes-preserve-unknown-fields': preserves } = props;
  const hasShape = nullable !== true && preserves !== true;
  const shape = { ...(hasShape && items && { items }), ...(hasShape && properties && { properties }) };
  const isUntyped =
    nullable === true || (type === 'array' && shape.items === undefined) || (type === 'object' && preserves === true);
  const isMapOfNullables = typeof rest === 'object' && rest.nullable === true;
  const shown = (required ?? []).filter((name) => shape.properties?.[name]?.nullable !== true);
  return {
    ...kept,
    ...shape,
    ...(type !== undefined && !isUntyped && { type }),
    ...(!isMapOfNullables && { required: shown }),
  };
}
