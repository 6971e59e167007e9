import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { someSchema } from '../schema/schemas-in.js';

type Spec = CustomResourceDefinition['spec'];
type Version = NonNullable<Spec['versions']>[number];

/** Members of schemas that are decoded, and validated, even if they are empty. They are not stored. */
const KEPT_WHEN_EMPTY = [
  ...(['allOf', 'oneOf', 'anyOf', 'enum', 'definitions', 'dependencies', 'patternProperties'] as const),
  'required',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
] as const;

/** Reports whether two specs are equal if an empty member of a schema equals an absent one. */
export function equalSpecs(a: Spec, b: Spec): boolean {
  const { versions: ours, ...own } = a;
  const { versions: others, ...other } = b;
  if (ours === null || others === null || ours.length !== others.length) return equalJson(a, b);
  return equalJson(own, other) && ours.every((version, i) => equalVersions(version, others[i]));
}

function equalVersions({ schema, ...own }: Version, other: Version | undefined): boolean {
  if (other === undefined) return false;
  const { schema: otherSchema, ...rest } = other;
  return equalJson(own, rest) && equalSchemas(schema, otherSchema);
}

/** The same of two schemas. Upstream: apiequality.Semantic.DeepEqual */
export function equalSchemas(a: Version['schema'], b: Version['schema']): boolean {
  return equalJson(storedForm(a) ?? null, storedForm(b) ?? null);
}

function storedForm(schema: Version['schema']): Version['schema'] {
  const root = schema?.openAPIV3Schema;
  return root === undefined ? schema : { ...schema, openAPIV3Schema: withoutEmptyMembers(root) };
}

/** The schema as it would be stored; a copy if it has empty members. */
export function withoutEmptyMembers(props: JSONSchemaProps): JSONSchemaProps {
  const hasEmpty = (one: JSONSchemaProps) => KEPT_WHEN_EMPTY.some((name) => isEmpty(one[name]));
  if (!someSchema(props, hasEmpty)) return props;
  const copy = cloneJson(props);
  someSchema(copy, (one) => {
    for (const name of KEPT_WHEN_EMPTY) if (isEmpty(one[name])) delete one[name];
    return false;
  });
  return copy;
}

function isEmpty(members: object | undefined): boolean {
  for (const _ in members) return false;
  return members !== undefined;
}
