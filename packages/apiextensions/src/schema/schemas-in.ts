import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/** A schema and all schemas in it, each before those in it. */
export function schemasIn(props: JSONSchemaProps): readonly JSONSchemaProps[] {
  const found: JSONSchemaProps[] = [];
  collect(props, found);
  return found;
}

/** Without generators: they take several times longer, and every definition is walked more than once. */
function collect(props: JSONSchemaProps, found: JSONSchemaProps[]): void {
  found.push(props);
  const { items, not, additionalProperties, additionalItems, properties } = props;
  if (Array.isArray(items)) collectEach(items, found);
  else if (items !== undefined) collect(items, found);
  collectEach(props.allOf, found);
  collectEach(props.anyOf, found);
  collectEach(props.oneOf, found);
  if (not !== undefined) collect(not, found);
  if (properties !== undefined) collectEach(Object.values(properties), found);
  if (typeof additionalProperties === 'object') collect(additionalProperties, found);
  if (props.patternProperties !== undefined) collectEach(Object.values(props.patternProperties), found);
  if (typeof additionalItems === 'object') collect(additionalItems, found);
  if (props.definitions !== undefined) collectEach(Object.values(props.definitions), found);
  for (const dependency of Object.values(props.dependencies ?? {})) {
    if (typeof dependency === 'object' && !Array.isArray(dependency)) collect(dependency, found);
  }
}

function collectEach(schemas: readonly JSONSchemaProps[] | null | undefined, found: JSONSchemaProps[]): void {
  for (const schema of schemas ?? []) collect(schema, found);
}
