import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/** Iterates over a schema and all schemas in it. */
export function* schemasIn(props: JSONSchemaProps): Generator<JSONSchemaProps> {
  yield props;
  const { items, not, additionalProperties, additionalItems } = props;
  const nested = [
    ...(Array.isArray(items) ? items : [items]),
    ...(props.allOf ?? []),
    ...(props.anyOf ?? []),
    ...(props.oneOf ?? []),
    not,
    ...Object.values(props.properties ?? {}),
    additionalProperties,
    ...Object.values(props.patternProperties ?? {}),
    additionalItems,
    ...Object.values(props.definitions ?? {}),
    ...Object.values(props.dependencies ?? {}),
  ];
  for (const schema of nested) {
    if (typeof schema === 'object' && !Array.isArray(schema)) yield* schemasIn(schema);
  }
}
