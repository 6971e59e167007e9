import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { JsonType, ValueValidation } from '@apiserver/apimachinery';

/**
 * What a schema asks of values.
 *
 * Upstream: ConvertJSONSchemaProps of k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go
 */
export function valueValidationOf(props: JSONSchemaProps): ValueValidation {
  const types = typesOf(props);
  const { properties, additionalProperties: rest, items, not } = props;
  const keys = props['x-kubernetes-list-type'] === 'map' ? props['x-kubernetes-list-map-keys'] : undefined;
  return {
    ...present({
      types,
      nullable: props.nullable,
      format: supportedFormat(props),
      enum: props.enum,
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
    ...(properties && { properties: new Map(Object.entries(properties).map(([k, v]) => [k, valueValidationOf(v)])) }),
    ...(rest !== undefined && { additionalProperties: typeof rest === 'boolean' ? rest : valueValidationOf(rest) }),
    ...(items !== undefined && !Array.isArray(items) && { items: valueValidationOf(items) }),
    ...(props.allOf && { allOf: props.allOf.map(valueValidationOf) }),
    ...(props.anyOf && { anyOf: props.anyOf.map(valueValidationOf) }),
    ...(props.oneOf && { oneOf: props.oneOf.map(valueValidationOf) }),
    ...(not && { not: valueValidationOf(not) }),
    ...(props['x-kubernetes-map-type'] === 'atomic' && { atomicMap: true }),
  };
}

function typesOf(props: JSONSchemaProps): readonly JsonType[] | undefined {
  if (props['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return props.type ? [props.type as JsonType] : undefined;
}

/** Formats that are known for version 3 of OpenAPI; others are documentation. */
function supportedFormat({ format }: JSONSchemaProps): string | undefined {
  return format !== undefined && supportedFormats.has(format.replaceAll('-', '')) ? format : undefined;
}

/** Upstream: supportedVersionedFormats of …/pkg/apiserver/validation/formats.go, and the formats of numbers. */
const supportedFormats: ReadonlySet<string> = new Set(
  [
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn',
    'hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname int32 int64 float double',
  ]
    .join(' ')
    .split(' '),
);

function count(value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
