import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { isMembers } from '@apiserver/apimachinery/json';

type Test = (props: JSONSchemaProps) => boolean;

/**
 * Reports whether a schema or one of the schemas in it passes a test. Each is tested before those in it, and none after
 * the first that passes. Without lists and generators: every definition is walked more than once.
 */
export function someSchema(props: JSONSchemaProps, test: Test): boolean {
  if (test(props)) return true;
  const { items, not, additionalProperties, additionalItems, dependencies } = props;
  if (Array.isArray(items) ? someOf(items, test) : items !== undefined && someSchema(items, test)) return true;
  if (someOf(props.allOf, test) || someOf(props.anyOf, test) || someOf(props.oneOf, test)) return true;
  if (not !== undefined && someSchema(not, test)) return true;
  if (someIn(props.properties, test)) return true;
  if (typeof additionalProperties === 'object' && someSchema(additionalProperties, test)) return true;
  if (someIn(props.patternProperties, test)) return true;
  if (typeof additionalItems === 'object' && someSchema(additionalItems, test)) return true;
  return someIn(props.definitions, test) || someIn(dependencies, test);
}

function someOf(schemas: readonly JSONSchemaProps[] | null | undefined, test: Test): boolean {
  if (schemas === undefined || schemas === null) return false;
  for (const schema of schemas) if (someSchema(schema, test)) return true;
  return false;
}

/** A dependency may be a list of names instead of a schema. */
function someIn(
  schemas: Readonly<Record<string, JSONSchemaProps | readonly string[] | null>> | undefined,
  test: Test,
): boolean {
  for (const name in schemas) {
    const schema = schemas[name];
    if (isSchema(schema) && someSchema(schema, test)) return true;
  }
  return false;
}

function isSchema(value: JSONSchemaProps | readonly string[] | null | undefined): value is JSONSchemaProps {
  return isMembers(value);
}
