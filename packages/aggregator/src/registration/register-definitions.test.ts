import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { expect, it } from 'vitest';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { registerDefinitions } from './register-definitions.js';

const definition = (versions: readonly string[], kind = ''): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: versions.map((name) => ({ name, served: true, storage: name === 'v1' })),
  },
  status: { acceptedNames: { plural: '', kind } },
});

it('registers the versions that definitions serve, and looks at them when they change', async () => {
  using stop = new DisposableStack();
  const abort = new AbortController();
  stop.defer(() => abort.abort());
  const definitions = new ControlledInformer<CustomResourceDefinition>();
  const calls: string[] = [];
  const registration = {
    add: ({ metadata }: { readonly metadata: { readonly name?: string } }) => void calls.push(`add ${metadata.name}`),
    remove: (name: string) => void calls.push(`remove ${name}`),
  };
  await registerDefinitions({ definitions, registration, isBuiltIn: () => false }, abort.signal);
  const changed = (crd: CustomResourceDefinition) => {
    definitions.put(crd);
    return calls.splice(0);
  };
  expect(changed(definition(['v1', 'v2']))).toEqual(['add v1.example.com', 'add v2.example.com']);
  expect(changed(definition(['v1', 'v2'], 'Widget'))).toEqual([]);
  expect(changed(definition(['v1'], 'Widget'))).toEqual(['add v1.example.com', 'remove v2.example.com']);
  definitions.remove('widgets.example.com');
  expect(calls).toEqual(['remove v1.example.com']);
});
