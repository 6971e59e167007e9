import type { KubeObject } from '@apiserver/apimachinery';
import { newForbidden } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { objectAttributes, testAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { namespace, pod } from '../testing/sample-objects.js';
import { namespaceAutoProvision, namespaceExists } from './namespace-exists.js';

it.each([
  ['there', [namespace()], testAttributes(), { object: undefined }],
  ['missing', [], testAttributes(), { refused: 'namespaces "ns" not found' }],
  ['missing, for a delete', [], testAttributes({ operation: 'DELETE' }), { refused: 'namespaces "ns" not found' }],
  ['none', [], testAttributes({ namespace: '' }), { object: undefined }],
])('NamespaceExists: the namespace is %s', async (_what, namespaces, attributes, expected) => {
  expect(await runPlugin(namespaceExists(testPluginDependencies({ namespaces })), attributes)).toEqual(expected);
});

it.each<[string, KubeObject[], boolean, string[]]>([
  ['there', [namespace()], false, []],
  ['missing', [], false, ['create namespaces ns']],
  ['missing, for a dry run', [], true, []],
])('NamespaceAutoProvision: the namespace is %s', async (_what, namespaces, dryRun, writes) => {
  const dependencies = testPluginDependencies({ namespaces });
  const attributes = objectAttributes('pods', pod(), { dryRun });
  expect(await runPlugin(namespaceAutoProvision(dependencies), attributes)).toEqual({ object: pod() });
  expect(dependencies.calls.filter((call) => call.startsWith('create'))).toEqual(writes);
  if (writes.length > 0) {
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } };
    expect(
      await dependencies.client.resource({ group: '', version: 'v1', resource: 'namespaces' }).get('', 'ns'),
    ).toEqual(made);
  }
});

it('NamespaceAutoProvision: reports why it cannot create the namespace', async () => {
  const dependencies = testPluginDependencies();
  const client: typeof dependencies.client = {
    resource: (resource) => ({
      ...dependencies.client.resource<never>(resource),
      create: async () => {
        throw newForbidden({ group: '', resource: 'namespaces' }, 'ns', 'no more');
      },
    }),
  };
  expect(await runPlugin(namespaceAutoProvision({ ...dependencies, client }), objectAttributes('pods', pod()))).toEqual(
    {
      refused: 'namespaces "ns" is forbidden: no more',
    },
  );
});

it.each([
  ['CREATE', [true, true]],
  ['UPDATE', [true, false]],
  ['DELETE', [true, false]],
  ['CONNECT', [false, false]],
] as const)('handles %s', (operation, handled) => {
  const plugins = [namespaceExists(testPluginDependencies()), namespaceAutoProvision(testPluginDependencies())];
  const { scope } = objectAttributes('pods', pod());
  expect(plugins.map((plugin) => [plugin.name, plugin.handles(operation, scope)])).toEqual([
    ['NamespaceExists', handled[0]],
    ['NamespaceAutoProvision', handled[1]],
  ]);
  expect(plugins.map((plugin) => plugin.handles(operation, { ...scope, namespaced: false }))).toEqual([false, false]);
});

it('handles no requests for namespaces themselves', () => {
  const { scope } = objectAttributes('namespaces', namespace());
  const plugins = [namespaceExists(testPluginDependencies()), namespaceAutoProvision(testPluginDependencies())];
  expect(plugins.map((plugin) => plugin.handles('CREATE', scope))).toEqual([false, false]);
});
