import type { Pod } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, pod } from '../testing/sample-objects.js';
import { extendedResourceToleration } from './extended-resource-toleration.js';

const tolerates = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });

it('tolerates nodes that are reserved for the requested resources', async () => {
  const object = pod({
    initContainers: [container({ resources: { requests: { 'b.com/x': '1', 'requests.a.com/y': '1' } } })],
    containers: [container({ resources: { requests: { cpu: '1', 'a.com/x': '1', 'kubernetes.io/z': '1' } } })],
    tolerations: [{ ...tolerates('a.com/x'), tolerationSeconds: 5 }, { key: 'other' }],
  });
  const outcome = await runPlugin(extendedResourceToleration(), objectAttributes('pods', object));
  expect((outcome as { object: Pod }).object.spec.tolerations).toEqual([
    tolerates('a.com/x'),
    { key: 'other' },
    tolerates('b.com/x'),
  ]);
});

it.each([
  ['by a value', { key: 'a.com/x', operator: 'Equal', effect: 'NoSchedule' }],
  ['another effect', { key: 'a.com/x', operator: 'Exists', effect: 'NoExecute' }],
  ['a value', { key: 'a.com/x', operator: 'Exists', effect: 'NoSchedule', value: 'v' }],
])('adds its toleration to one of %s', async (_, known) => {
  const object = pod({
    containers: [container({ resources: { requests: { 'a.com/x': '1' } } })],
    tolerations: [known],
  });
  const outcome = await runPlugin(extendedResourceToleration(), objectAttributes('pods', object));
  expect((outcome as { object: Pod }).object.spec.tolerations).toEqual([known, tolerates('a.com/x')]);
});

it('gives the first toleration to a pod without any, also for requests of a plain container', async () => {
  const object = pod({
    containers: [
      container(),
      container({ name: 'd', resources: {} }),
      container({ resources: { requests: { 'a.com/x': '1' } } }),
    ],
  });
  const outcome = await runPlugin(extendedResourceToleration(), objectAttributes('pods', object));
  expect((outcome as { object: Pod }).object.spec.tolerations).toEqual([tolerates('a.com/x')]);
  const bare = await runPlugin(
    extendedResourceToleration(),
    objectAttributes('pods', pod({ containers: [container()] })),
  );
  expect((bare as { object: Pod }).object.spec.tolerations).toBeUndefined();
});
