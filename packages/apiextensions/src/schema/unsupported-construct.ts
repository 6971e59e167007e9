import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { someSchema } from './schemas-in.js';

/**
 * The first reason why a schema has no structural form; undefined if it has one, valid or not.
 *
 * Upstream: NewStructural of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/convert.go
 */
export function unsupportedConstruct(props: JSONSchemaProps): string | undefined {
  let reason: string | undefined;
  someSchema(props, (schema) => {
    reason = constructs.find(([, isThere]) => isThere(schema))?.[0];
    return reason !== undefined;
  });
  return reason;
}

const notSupported = (name: string) => `OpenAPIV3Schema '${name}' is not supported`;

const constructs: readonly (readonly [string, (props: JSONSchemaProps) => boolean])[] = [
  [notSupported('id'), ({ id }) => Boolean(id)],
  [notSupported('schema'), ({ $schema }) => Boolean($schema)],
  [notSupported('$ref'), ({ $ref }) => Boolean($ref)],
  [notSupported('patternProperties'), ({ patternProperties }) => hasMembers(patternProperties)],
  [notSupported('dependencies'), ({ dependencies }) => hasMembers(dependencies)],
  [notSupported('additionalItems'), ({ additionalItems }) => additionalItems !== undefined],
  [notSupported('definitions'), ({ definitions }) => hasMembers(definitions)],
  [
    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
    (props) => props['x-kubernetes-preserve-unknown-fields'] === false,
  ],
  [
    "OpenAPIV3Schema 'items' must be a schema, but is an array",
    ({ items }) => Array.isArray(items) && items.length > 0,
  ],
];

function hasMembers(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}
