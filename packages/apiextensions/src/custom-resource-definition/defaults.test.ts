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
