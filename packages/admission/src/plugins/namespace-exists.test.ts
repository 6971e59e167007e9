import type { KubeObject } from '@apiserver/apimachinery';
import { newForbidden } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { objectAttributes, testAttributes } from '../testing/attributes.js';
import { testPluginParts } from '../testing/plugin-parts.js';
import { runPlugin } from '../testing/run-plugin.js';
import { namespace, pod } from '../testing/sample-objects.js';
import { namespaceAutoProvision, namespaceExists } from './namespace-exists.js';

it.each([
  ['there', [namespace()], testAttributes(), { object: undefined }],
  ['missing', [], testAttributes(), { refused: 'namespaces "ns" not found' }],
  ['missing, for a delete', [], testAttributes({ operation: 'DELETE' }), { refused: 'namespaces "ns" not found' }],
  ['none', [], testAttributes({ namespace: '' }), { object: undefined }],
])('NamespaceExists: the namespace is %s', async (_what, namespaces, attributes, expected) => {
  expect(await runPlugin(namespaceExists(testPluginParts({ namespaces })), attributes)).toEqual(expected);
});

it.each<[string, KubeObject[], boolean, string[]]>([
  ['there', [namespace()], false, []],
  ['missing', [], false, ['create namespaces ns']],
  ['missing, for a dry run', [], true, []],
])('NamespaceAutoProvision: the namespace is %s', async (_what, namespaces, dryRun, writes) => {
  const parts = testPluginParts({ namespaces });
  const attributes = objectAttributes('pods', pod(), { dryRun });
  expect(await runPlugin(namespaceAutoProvision(parts), attributes)).toEqual({ object: pod() });
  expect(parts.calls.filter((call) => call.startsWith('create'))).toEqual(writes);
});

it('NamespaceAutoProvision: tells why it cannot make it', async () => {
  const parts = testPluginParts();
  const client: typeof parts.client = {
    resource: (resource) => ({
      ...parts.client.resource<never>(resource),
      create: async () => {
        throw newForbidden({ group: '', resource: 'namespaces' }, 'ns', 'no more');
      },
    }),
  };
  expect(await runPlugin(namespaceAutoProvision({ ...parts, client }), objectAttributes('pods', pod()))).toEqual({
    refused: 'namespaces "ns" is forbidden: no more',
  });
});

it('neither looks at namespaces themselves', () => {
  const { scope } = objectAttributes('namespaces', namespace());
  const plugins = [namespaceExists(testPluginParts()), namespaceAutoProvision(testPluginParts())];
  expect(plugins.map((plugin) => plugin.handles('CREATE', scope))).toEqual([false, false]);
});
