import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/** True if a structural schema has rules, at any depth. Rules below junctors are not structural. */
export function hasRules(props: JSONSchemaProps): boolean {
  const { items, properties, additionalProperties: rest, 'x-kubernetes-validations': rules } = props;
  if (rules !== undefined && rules.length > 0) return true;
  if (items !== undefined && !Array.isArray(items) && hasRules(items)) return true;
  if (typeof rest === 'object' && hasRules(rest)) return true;
  for (const name in properties) {
    const property = properties[name];
    if (property !== undefined && hasRules(property)) return true;
  }
  return false;
}
