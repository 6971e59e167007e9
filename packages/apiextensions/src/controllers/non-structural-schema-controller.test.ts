import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { loadPatternEngine } from '@apiserver/apimachinery/patterns';
import { expect, it } from 'vitest';
import { nonStructuralCondition, nonStructuralSchemaController } from './non-structural-schema-controller.js';

const compilePattern = await loadPatternEngine();

function definition(schema: JSONSchemaProps, preserveUnknownFields?: boolean): CustomResourceDefinition {
  const openAPIV3Schema = schema;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      ...(preserveUnknownFields !== undefined && { preserveUnknownFields }),
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
    status: { acceptedNames: { plural: '', kind: '' } },
  };
}

const object = (property: JSONSchemaProps): JSONSchemaProps => ({ type: 'object', properties: { a: property } });
const AT = 'spec.versions[0].schema.openAPIV3Schema';
const failed = (why: string) => [
  'Unknown',
  'StructuralError',
  `failed to check validation schema for version v1: ${why}`,
];

it.each([
  ['structural', definition(object({ type: 'string' })), undefined],
  [
    'without a type',
    definition({}),
    ['True', 'Violations', `${AT}.type: Required value: must not be empty at the root`],
  ],
  [
    'that preserves unknown fields',
    definition(object({ type: 'string' }), true),
    ['True', 'Violations', 'spec.preserveUnknownFields: Invalid value: true: must be false'],
  ],
  [
    'wrong in two ways',
    definition({ type: 'object', properties: { a: {} } }, true),
    [
      'True',
      'Violations',
      `[spec.preserveUnknownFields: Invalid value: true: must be false, ${AT}.properties[a].type: Required value: must not be empty for specified object fields]`,
    ],
  ],
  ['with a reference', definition(object({ $ref: '#/x' })), failed("OpenAPIV3Schema '$ref' is not supported")],
  [
    'with several items',
    definition(object({ type: 'array', items: [{}] })),
    failed("OpenAPIV3Schema 'items' must be a schema, but is an array"),
  ],
  [
    'that preserves falsely',
    definition(object({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false })),
    failed("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"),
  ],
])('a schema %s', (_what, crd, expected) => {
  const condition = nonStructuralCondition(crd, compilePattern);
  expect(condition && [condition.status, condition.reason, condition.message]).toEqual(expected);
});

it('judges each definition, also without a uid', async () => {
  const updated: string[] = [];
  const client = {
    now: () => '2026-01-01T00:00:00Z',
    updateStatus: async (crd: CustomResourceDefinition) => {
      updated.push(crd.metadata.name ?? '');
      return crd;
    },
  };
  const controller = nonStructuralSchemaController({ subscribe: () => () => {} }, client);
  const named = (name: string, schema: JSONSchemaProps) => ({ ...definition(schema), metadata: { name } });
  await controller.sync(named('a', object({ type: 'string' })), AbortSignal.timeout(1_000));
  await controller.sync(named('b', object({})), AbortSignal.timeout(1_000));
  expect(updated).toEqual(['b']);
});
