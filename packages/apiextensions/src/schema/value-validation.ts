import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { definedMembers } from '@apiserver/apimachinery/json';
import type { JsonType, ValueValidation } from '@apiserver/apimachinery/schema';
import { readNumbers } from './read-numbers.js';
import { isSupportedFormat } from './supported-format.js';

/**
 * The value validation of a schema.
 *
 * Upstream: ConvertJSONSchemaProps of k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go
 */
export function valueValidationOf(props: JSONSchemaProps): ValueValidation {
  return rulesOf(props, { typesOf, formatOf: supportedFormat });
}

/**
 * The validation of a schema's default. There `x-kubernetes-int-or-string` accepts any type, and an unsupported format
 * is kept: a text with a format accepts lists.
 *
 * Upstream: ToKubeOpenAPI of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/kubeopenapi.go
 */
export function defaultValidationOf(props: JSONSchemaProps): ValueValidation {
  return rulesOf(props, { typesOf: declaredTypes, formatOf: ({ format }) => format || undefined });
}

/** The readings of a schema that differ. */
interface Reading {
  readonly typesOf: (props: JSONSchemaProps) => readonly JsonType[] | undefined;
  readonly formatOf: (props: JSONSchemaProps) => string | undefined;
}

function rulesOf(props: JSONSchemaProps, reading: Reading): ValueValidation {
  const below = (nested: JSONSchemaProps) => rulesOf(nested, reading);
  const types = reading.typesOf(props);
  const { properties, additionalProperties: rest, items, not } = props;
  const keys = props['x-kubernetes-list-type'] === 'map' ? props['x-kubernetes-list-map-keys'] : undefined;
  return {
    ...definedMembers({
      types,
      nullable: props.nullable,
      format: reading.formatOf(props),
      enum: props.enum?.length === 0 ? undefined : props.enum?.map(readNumbers),
      minimum: props.minimum,
      exclusiveMinimum: props.exclusiveMinimum,
      maximum: props.maximum,
      exclusiveMaximum: props.exclusiveMaximum,
      multipleOf: props.multipleOf,
      minLength: count(props.minLength),
      maxLength: count(props.maxLength),
      pattern: props.pattern || undefined,
      minItems: count(props.minItems),
      maxItems: count(props.maxItems),
      uniqueItems: props.uniqueItems,
      minProperties: count(props.minProperties),
      maxProperties: count(props.maxProperties),
      required: props.required,
      listMapKeys: keys,
    }),
    ...(properties && { properties: new Map(Object.entries(properties).map(([k, v]) => [k, below(v)])) }),
    ...(rest !== undefined && { additionalProperties: typeof rest === 'boolean' ? rest : below(rest) }),
    ...(items !== undefined && !Array.isArray(items) && { items: below(items) }),
    ...(props.allOf?.length && { allOf: props.allOf.map(below) }),
    ...(props.anyOf?.length && { anyOf: props.anyOf.map(below) }),
    ...(props.oneOf?.length && { oneOf: props.oneOf.map(below) }),
    ...(not && { not: below(not) }),
  };
}

function typesOf(props: JSONSchemaProps): readonly JsonType[] | undefined {
  return props['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : declaredTypes(props);
}

function declaredTypes({ type }: JSONSchemaProps): readonly JsonType[] | undefined {
  return type ? [type as JsonType] : undefined;
}

/** A supported format; others are documentation. */
function supportedFormat(props: JSONSchemaProps): string | undefined {
  return props.format !== undefined && isSupportedFormat(props) ? props.format : undefined;
}

function count(value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
