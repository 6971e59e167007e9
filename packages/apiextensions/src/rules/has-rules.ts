import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/** True if a structural schema has rules, at any depth. Rules below junctors are not structural. */
export function hasRules(props: JSONSchemaProps): boolean {
  return findRules(props, () => true);
}

/**
 * True if objects may be checked by rules. The type of an int-or-string has no fields: rules of its properties are left
 * out, unless no expression can name these.
 *
 * Upstream: NewValidator of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
export function hasRulesOfObjects(props: JSONSchemaProps): boolean {
  return findRules(props, (parent, name) => parent['x-kubernetes-int-or-string'] !== true || !NAMEABLE.test(name));
}

/** The names that an expression can write, some of them escaped. */
const NAMEABLE = /^[A-Za-z_][\w./-]*$/;

type Visits = (parent: JSONSchemaProps, property: string) => boolean;

function findRules(props: JSONSchemaProps, visits: Visits): boolean {
  const { items, properties, additionalProperties: rest, 'x-kubernetes-validations': rules } = props;
  if (rules !== undefined && rules.length > 0) return true;
  if (items !== undefined && !Array.isArray(items) && findRules(items, visits)) return true;
  if (typeof rest === 'object' && findRules(rest, visits)) return true;
  for (const name in properties) {
    const property = properties[name];
    if (property !== undefined && visits(props, name) && findRules(property, visits)) return true;
  }
  return false;
}
