import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { expect, it } from 'vitest';
import { applyDefinitionDefaults } from './defaults.js';

it.each<[string, string[] | null | undefined, string[]]>([
  ['absent', undefined, ['v2']],
  ['null', null, ['v2']],
  ['emptied', [], ['v2']],
  ['of another version', ['v1'], ['v1']],
])('storedVersions that are %s', (_what, storedVersions, expected) => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: false },
        { name: 'v2', served: true, storage: true },
      ],
    },
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      ...(storedVersions !== undefined && { storedVersions }),
    },
  } as CustomResourceDefinition;
  applyDefinitionDefaults(definition);
  expect(definition.status.storedVersions).toEqual(expected);
});

it.each<[string, object, object]>([
  ['empty', { conversionReviewVersions: null }, { strategy: 'None' }],
  ['without versions', { conversionReviewVersions: [] }, { strategy: 'None' }],
  [
    'with versions',
    { conversionReviewVersions: ['v1'] },
    { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } },
  ],
])('a webhook that is %s', (_what, webhook, expected) => {
  const definition = {
    spec: { names: { plural: 'widgets', kind: 'Widget' }, conversion: { strategy: 'None', webhook }, versions: [] },
    status: { storedVersions: [] },
  } as unknown as CustomResourceDefinition;
  applyDefinitionDefaults(definition);
  expect(definition.spec.conversion).toEqual(expected);
});
