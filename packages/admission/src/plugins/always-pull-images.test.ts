import type { Pod } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, pod } from '../testing/sample-objects.js';
import { alwaysPullImages } from './always-pull-images.js';

const spec = (policy: string, image = 'i'): Partial<Pod['spec']> => ({
  initContainers: [container({ image, imagePullPolicy: policy })],
  containers: [container({ image, imagePullPolicy: policy })],
  volumes: [{ name: 'v', image: { reference: image, pullPolicy: policy } }],
});

it.each([
  ['a new pod', undefined, 'Always'],
  ['an update without a new image', pod(spec('Never')), 'Never'],
  ['an update with a new image', pod(spec('Never', 'other')), 'Always'],
])('%s', async (_what, oldObject, policy) => {
  const attributes = objectAttributes('pods', pod(spec('Never')), oldObject && { oldObject });
  expect(await runPlugin(alwaysPullImages(), attributes)).toEqual({ object: pod(spec(policy)) });
});

it('pulls the new image of one container always', async () => {
  const ofImage = (image: string, imagePullPolicy: string) =>
    pod({ containers: [container({ image, imagePullPolicy })] });
  const attributes = objectAttributes('pods', ofImage('new', 'Never'), { oldObject: ofImage('old', 'Never') });
  expect(await runPlugin(alwaysPullImages(), attributes)).toEqual({ object: ofImage('new', 'Always') });
});

it('refuses a pod without a pull policy', async () => {
  const { admit: _admit, ...plugin } = alwaysPullImages();
  const silent = pod({ containers: [container()], volumes: [{ name: 'v', image: { reference: 'i' } }] });
  const fault = (where: string) => `${where}: Unsupported value: "": supported values: "Always"`;
  const faults = ['spec.containers[0].imagePullPolicy', 'spec.volumes[0].image.pullPolicy'].map(fault);
  expect(await runPlugin(plugin, objectAttributes('pods', silent))).toEqual({
    refused: `[${faults.map((one) => `pods "p" is forbidden: ${one}`).join(', ')}]`,
  });
});

it('refuses a pull policy that a later plugin changed', async () => {
  const { admit: _admit, ...plugin } = alwaysPullImages();
  const fault = (where: string) =>
    `pods "p" is forbidden: ${where}: Unsupported value: "Never": supported values: "Always"`;
  expect(await runPlugin(plugin, objectAttributes('pods', pod(spec('Never'))))).toEqual({
    refused: `[${[
      'spec.initContainers[0].imagePullPolicy',
      'spec.containers[0].imagePullPolicy',
      'spec.volumes[0].image.pullPolicy',
    ]
      .map(fault)
      .join(', ')}]`,
  });
});
