import { ListMeta } from '@apiserver/api/meta/v1';
import type { JsonObject } from '@apiserver/apimachinery';
import type { StructDefinition, StructSchema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { listSchema } from './meta-definitions.js';

/** A list whose members have the common descriptions. */
const DESCRIBED_LIST = 'io.k8s.api.apps.v1.ReplicaSetList';

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

type ListOf = Pick<AnyResourceDefinition, 'kind' | 'listKind' | 'resource' | 'selectableFieldNames'>;

/**
 * The list of a custom resource, described by its definition.
 *
 * Upstream: buildListSchema of k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
 */
export function customListSchema(item: StructSchema, definition: ListOf): StructSchema {
  const schema = listSchema(item, definition.listKind);
  return { ...schema, fields: schema.fields, definition: (...args) => listDefinition(item, definition, ...args) };
}

type DefinitionArguments = Parameters<NonNullable<StructSchema['definition']>>;

function listDefinition(
  item: StructSchema,
  { kind, listKind, resource, selectableFieldNames = [] }: ListOf,
  ...[version, describe]: DefinitionArguments
): StructDefinition {
  const prefix = version === 'v2' ? '#/definitions/' : '#/components/schemas/';
  const described = (name: string): JsonObject => {
    const description = describe(DESCRIBED_LIST, name);
    return description === undefined ? {} : { description };
  };
  const metadata = { $ref: `${prefix}${ListMeta.name}` };
  const definition: JsonObject = {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { ...described('apiVersion'), type: 'string' },
      items: {
        description: `List of ${resource}. More info: ${CONVENTIONS}`,
        type: 'array',
        items: { $ref: `${prefix}${item.name}` },
      },
      kind: { ...described('kind'), type: 'string' },
      metadata: { ...described('metadata'), ...(version === 'v2' ? metadata : { allOf: [metadata] }) },
    },
    ...(selectableFieldNames.length > 0 && {
      'x-kubernetes-selectable-fields': selectableFieldNames.map((fieldPath) => ({ fieldPath })),
    }),
  };
  return { definition, references: [item, ListMeta] };
}
