import type { JSONSchemaProps, JSONSchemaPropsOrArray } from '@apiserver/api/apiextensions/v1';

type Schemas = Readonly<Record<string, JSONSchemaProps>>;

/**
 * A schema in upstream's internal form, as its messages show it: every field, by its name in Go.
 *
 * Upstream: JSONSchemaProps of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types_jsonschema.go
 */
export function internalSchema(props: JSONSchemaProps): Readonly<Record<string, unknown>> {
  return { ...ownValues(props), ...nestedSchemas(props), ...extensions(props) };
}

function ownValues(props: JSONSchemaProps) {
  return {
    ID: props.id ?? '',
    Schema: props.$schema ?? '',
    Ref: props.$ref ?? null,
    Description: props.description ?? '',
    Type: props.type ?? '',
    Nullable: props.nullable ?? false,
    Format: props.format ?? '',
    Title: props.title ?? '',
    Default: sortedValue(props.default ?? null),
    Maximum: props.maximum ?? null,
    ExclusiveMaximum: props.exclusiveMaximum ?? false,
    Minimum: props.minimum ?? null,
    ExclusiveMinimum: props.exclusiveMinimum ?? false,
    MaxLength: props.maxLength ?? null,
    MinLength: props.minLength ?? null,
    Pattern: props.pattern ?? '',
    MaxItems: props.maxItems ?? null,
    MinItems: props.minItems ?? null,
    UniqueItems: props.uniqueItems ?? false,
    MultipleOf: props.multipleOf ?? null,
    Enum: sortedValue(props.enum ?? null),
    MaxProperties: props.maxProperties ?? null,
    MinProperties: props.minProperties ?? null,
    Required: props.required ?? null,
  };
}

function nestedSchemas(props: JSONSchemaProps) {
  return {
    Items: props.items === undefined ? null : internalItems(props.items),
    AllOf: props.allOf?.map(internalSchema) ?? null,
    OneOf: props.oneOf?.map(internalSchema) ?? null,
    AnyOf: props.anyOf?.map(internalSchema) ?? null,
    Not: props.not === undefined ? null : internalSchema(props.not),
    Properties: schemaMap(props.properties),
    AdditionalProperties: schemaOrBool(props.additionalProperties),
    PatternProperties: schemaMap(props.patternProperties),
    Dependencies: dependencies(props.dependencies),
    AdditionalItems: schemaOrBool(props.additionalItems),
    Definitions: schemaMap(props.definitions),
  };
}

function extensions(props: JSONSchemaProps) {
  const { externalDocs } = props;
  return {
    ExternalDocs: externalDocs ? { Description: externalDocs.description ?? '', URL: externalDocs.url ?? '' } : null,
    Example: sortedValue(props.example ?? null),
    XPreserveUnknownFields: props['x-kubernetes-preserve-unknown-fields'] ?? null,
    XEmbeddedResource: props['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: props['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: props['x-kubernetes-list-map-keys'] ?? null,
    XListType: props['x-kubernetes-list-type'] ?? null,
    XMapType: props['x-kubernetes-map-type'] ?? null,
    XValidations:
      props['x-kubernetes-validations']?.map((rule) => ({
        Rule: rule.rule,
        Message: rule.message ?? '',
        MessageExpression: rule.messageExpression ?? '',
        Reason: rule.reason ?? null,
        FieldPath: rule.fieldPath ?? '',
        OptionalOldSelf: rule.optionalOldSelf ?? null,
      })) ?? null,
  };
}

/** The schemas of elements in upstream's internal form. */
export function internalItems(value: JSONSchemaPropsOrArray) {
  return Array.isArray(value)
    ? { Schema: null, JSONSchemas: value.map(internalSchema) }
    : { Schema: internalSchema(value), JSONSchemas: null };
}

/** False alone forbids what true and a schema allow. */
function schemaOrBool(value: JSONSchemaProps | boolean | undefined) {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: internalSchema(value) };
}

function schemaMap(schemas: Schemas | undefined) {
  return schemas === undefined ? null : mapped(schemas, internalSchema);
}

function dependencies(given: JSONSchemaProps['dependencies']) {
  if (given === undefined) return null;
  return mapped(given, (one) =>
    Array.isArray(one) ? { Schema: null, Property: one } : { Schema: internalSchema(one), Property: null },
  );
}

/** A map in the order in which Go writes it. */
function mapped<T>(map: Readonly<Record<string, T>>, convert: (value: T) => unknown) {
  const entries = Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, convert(value)]));
}

/** A value with the members of its maps in the order of upstream's messages. */
export function sortedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedValue);
  return typeof value === 'object' && value !== null ? mapped({ ...value }, sortedValue) : value;
}
