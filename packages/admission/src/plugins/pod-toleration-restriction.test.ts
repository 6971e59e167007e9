import type { Pod, Toleration } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, namespace, pod } from '../testing/sample-objects.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const a: Toleration = { key: 'a', operator: 'Exists' };
const b: Toleration = { key: 'b', operator: 'Equal', value: '1' };
const pressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
const json = JSON.stringify;
const conflict = (scope: string) =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

it.each<
  [string, Record<string, string>, object | undefined, Toleration[] | undefined, Toleration[] | string | undefined]
>([
  ['says nothing', {}, undefined, [b], [b]],
  ['has defaults', { [DEFAULTS]: json([a]) }, { default: [b] }, [b], [b, a]],
  ['leaves defaults to the cluster', {}, { default: [a] }, undefined, [a]],
  ['wants no defaults', { [DEFAULTS]: '' }, { default: [a] }, undefined, undefined],
  [
    'has a default that covers more',
    { [DEFAULTS]: json([{ operator: 'Exists' }]) },
    undefined,
    [b],
    [{ operator: 'Exists' }],
  ],
  ['allows it', { [ALLOWED]: json([a, { key: 'b', operator: 'Exists' }]) }, undefined, [a, b], [a, b]],
  ['does not allow it', { [ALLOWED]: json([a]) }, undefined, [b], conflict('namespace')],
  ['leaves it to a cluster that does not allow it', {}, { whitelist: [a] }, [b], conflict('cluster')],
  ['allows everything', { [ALLOWED]: '' }, { whitelist: [a] }, [b], [b]],
  [
    'lists what is no object',
    { [DEFAULTS]: '[{"key":"a"},1]' },
    undefined,
    undefined,
    'json: cannot unmarshal number into Go value of type v1.Toleration',
  ],
  ['allows what is no list, for a pod without tolerations', { [ALLOWED]: '{}' }, undefined, undefined, undefined],
  [
    'says what is no list',
    { [DEFAULTS]: '{}' },
    undefined,
    undefined,
    'json: cannot unmarshal object into Go value of type []v1.Toleration',
  ],
  ['names fields in another case', { [DEFAULTS]: '[{"Key":"a","OPERATOR":"Exists"}]' }, undefined, undefined, [a]],
])('a namespace that %s', async (...row) => {
  const [, annotations, configuration, tolerations, expected] = row;
  const dependencies = testPluginDependencies({ namespaces: [namespace(annotations)] }, { configuration });
  const spec = tolerations === undefined ? {} : { tolerations };
  const outcome = await runPlugin(podTolerationRestriction(dependencies), objectAttributes('pods', pod(spec)));
  if (typeof expected === 'string') expect(outcome).toEqual({ refused: expected });
  else expect((outcome as { object: Pod }).object.spec.tolerations).toEqual(expected);
});

it('lets pods with resource requests tolerate memory pressure', async () => {
  const containers = [container({ resources: { requests: { cpu: '1' } } })];
  const plugin = podTolerationRestriction(
    testPluginDependencies({ namespaces: [namespace({ [DEFAULTS]: json([a]) })] }),
  );
  const created = await runPlugin(plugin, objectAttributes('pods', pod({ containers })));
  const updated = await runPlugin(plugin, objectAttributes('pods', pod({ containers }), { oldObject: pod() }));
  expect([created, updated]).toMatchObject([
    { object: { spec: { tolerations: [a, pressure] } } },
    { object: { spec: { tolerations: [pressure] } } },
  ]);
});

it('takes the tolerations of the cluster in a namespace without annotations', async () => {
  const { annotations: _, ...metadata } = namespace().metadata;
  const dependencies = testPluginDependencies(
    { namespaces: [{ ...namespace(), metadata }] },
    { configuration: { default: [a] } },
  );
  const outcome = await runPlugin(podTolerationRestriction(dependencies), objectAttributes('pods', pod()));
  expect((outcome as { object: Pod }).object.spec.tolerations).toEqual([a]);
});
