import type { PodSpec } from '@apiserver/api/core/v1';
import type { RuntimeClass } from '@apiserver/api/node/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { runtimeClass } from './runtime-class.js';

const named = (name: string, more: Partial<RuntimeClass> = {}): RuntimeClass => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name },
  handler: 'h',
  ...more,
});
const runtimeclasses = [
  named('plain'),
  named('costly', { overhead: { podFixed: { cpu: '250m' } } }),
  named('free', { overhead: {} }),
  named('placed', {
    scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }] },
  }),
  named('inherited', { scheduling: { nodeSelector: { constructor: 'b' } } }),
];

async function outcome(spec: Partial<PodSpec>): Promise<unknown> {
  const object = pod(spec);
  const made = await runPlugin(
    runtimeClass(testPluginDependencies({ runtimeclasses })),
    objectAttributes('pods', object),
  );
  if ('refused' in made) return made.refused.replace(/^.* is forbidden: /, '');
  const { spec: after } = made.object as typeof object;
  return Object.fromEntries(Object.entries(after).filter(([field]) => !(field in pod().spec)));
}

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const TOLERATION = { key: 'k', operator: 'Exists', effect: 'NoSchedule' };

it.each<[string, Partial<PodSpec>, object | string]>([
  ['of no class', {}, {}],
  ['of a class', { runtimeClassName: 'plain' }, { runtimeClassName: 'plain' }],
  ['of a class that is not there', { runtimeClassName: 'x' }, 'pod rejected: RuntimeClass "x" not found'],
  [
    'with costs of its own',
    { overhead: { cpu: '1' } },
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  ['of a class of an odd name', { runtimeClassName: '\u0001' }, 'pod rejected: RuntimeClass "\\x01" not found'],
  ['that costs', { runtimeClassName: 'costly' }, { runtimeClassName: 'costly', overhead: { cpu: '250m' } }],
  [
    'that says what it costs',
    { runtimeClassName: 'costly', overhead: { cpu: '0.25' } },
    { runtimeClassName: 'costly', overhead: { cpu: '250m' } },
  ],
  ['that says something else', { runtimeClassName: 'costly', overhead: { cpu: '1' } }, MISMATCH],
  ['that costs more things', { runtimeClassName: 'costly', overhead: { cpu: '250m', memory: '1' } }, MISMATCH],
  ['that costs other things', { runtimeClassName: 'costly', overhead: { memory: '1' } }, MISMATCH],
  ['of a class without amounts', { runtimeClassName: 'free' }, { runtimeClassName: 'free' }],
  [
    'that goes to some nodes',
    { runtimeClassName: 'placed' },
    { runtimeClassName: 'placed', nodeSelector: { a: 'b' }, tolerations: [TOLERATION] },
  ],
  [
    'that goes to nodes with a label that all objects seem to have',
    { runtimeClassName: 'inherited', nodeSelector: { c: 'd' } },
    { runtimeClassName: 'inherited', nodeSelector: { c: 'd', constructor: 'b' } },
  ],
  [
    'that goes to fewer',
    { runtimeClassName: 'placed', nodeSelector: { a: 'b', c: 'd' }, tolerations: [TOLERATION] },
    { runtimeClassName: 'placed', nodeSelector: { a: 'b', c: 'd' }, tolerations: [TOLERATION] },
  ],
  [
    'that goes to others',
    { runtimeClassName: 'placed', nodeSelector: { a: 'x' } },
    'conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x',
  ],
])('a pod %s', async (_name, spec, expected) => {
  expect(await outcome(spec)).toEqual(expected);
});
