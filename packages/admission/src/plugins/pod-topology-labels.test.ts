import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { podTopologyLabels } from './pod-topology-labels.js';

const ENABLED = { enabled: ['PodTopologyLabelsAdmission'] };
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const node = (name: string, labels: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
});
const nodes = [node('n', { [ZONE]: 'a', [REGION]: 'b', other: 'c' }), node('bare', { other: 'c' })];
const binding = (target: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'p', namespace: 'ns' },
  target,
});

it.each<[string, string, KubeObject, Record<string, string> | undefined]>([
  ['bound', 'pods/binding', binding({ kind: 'Node', name: 'n' }), { [ZONE]: 'a', [REGION]: 'b' }],
  ['bound to a bare node', 'pods/binding', binding({ kind: 'Node', name: 'bare' }), undefined],
  ['bound to a node that is missing', 'pods/binding', binding({ kind: 'Node', name: 'x' }), undefined],
  ['bound to something else', 'pods/binding', binding({ kind: '', name: 'n' }), undefined],
  ['created on a node', 'pods', pod({ nodeName: 'n' }), { [ZONE]: 'a', [REGION]: 'b' }],
  [
    'created with labels',
    'pods',
    pod({ nodeName: 'n' }, { labels: { [ZONE]: 'mine' } }),
    { [ZONE]: 'mine', [REGION]: 'b' },
  ],
  ['created on no node', 'pods', pod(), undefined],
])('a pod %s', async (_what, resource, object, labels) => {
  const outcome = await runPlugin(
    podTopologyLabels(testPluginDependencies({ nodes }, ENABLED)),
    objectAttributes(resource, object),
  );
  expect((outcome as { object: KubeObject }).object.metadata.labels).toEqual(labels);
});

it('handles nothing while its feature is off', () => {
  const { handles } = podTopologyLabels(testPluginDependencies({ nodes }));
  expect(handles('CREATE', objectAttributes('pods/binding', pod()).scope)).toBe(false);
});

it('handles creations of pods and bindings', () => {
  const { handles } = podTopologyLabels(testPluginDependencies({ nodes }, ENABLED));
  const handled = (['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const).map((operation) =>
    ['', 'binding', 'status'].map((subresource) => {
      const { scope } = objectAttributes(subresource === '' ? 'pods' : `pods/${subresource}`, pod());
      return handles(operation, scope);
    }),
  );
  expect(handled).toEqual([
    [true, true, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
  ]);
});
