import type { Node, Pod, PodSpec } from '@apiserver/api/core/v1';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { createAdmissionChain } from '../admission-chain.js';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { container, node, pod } from '../testing/sample-objects.js';
import { podResizeValidator } from './pod-resize-validator.js';

const linux = { 'kubernetes.io/os': 'linux' };
const sized = (labels: Record<string, string> = linux) => node({ allocatable: { cpu: '2', memory: '1Gi' } }, labels);

const resized = (spec: Partial<PodSpec>, generation = 2): Pod => pod({ nodeName: 'n', ...spec }, { generation });
const wanting = (cpu: string, memory = '1Gi'): Partial<PodSpec> => ({
  containers: [container({ resources: { requests: { cpu, memory } } })],
});

/** The message and the causes of a refusal; undefined if there is none. */
async function refusalOf(object: Pod, nodes: readonly Node[], resource = 'pods/resize') {
  const chain = createAdmissionChain([podResizeValidator(testPluginDependencies({ nodes: [...nodes] }))]);
  const oldObject = pod({ nodeName: 'n' }, { generation: 1 });
  try {
    await chain.validate(objectAttributes(resource, object, { oldObject }));
    return undefined;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const { code, message, details } = error.status;
    return [code, message, details];
  }
}

const forbidden = (fault: string, reason?: string) => [
  403,
  `pods "p" is forbidden: ${fault}`,
  { name: 'p', kind: 'pods', ...(reason && { causes: [{ reason }] }) },
];
const lacking = (what: string) => forbidden(`node didn't have enough allocatable resources: ${what}`, 'NodeCapacity');
const notLinux = (os: string) =>
  forbidden(`pod resize is only supported on linux nodes, node "n" is "${os}"`, 'UnsupportedPlatform');

it.each<[string, Pod, readonly Node[], unknown]>([
  ['all that the node has', resized(wanting('2')), [sized()], undefined],
  ['too much cpu', resized(wanting('2001m')), [sized()], lacking('cpu, requested: 2001, allocatable: 2000')],
  [
    'too much of both',
    resized(wanting('3', '2Gi')),
    [sized()],
    lacking('cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824'),
  ],
  [
    'too much with its overhead',
    resized({ ...wanting('1900m'), overhead: { cpu: '200m' } }),
    [sized()],
    lacking('cpu, requested: 2100, allocatable: 2000'),
  ],
  [
    'nothing but overhead',
    resized({ overhead: { cpu: '3' } }),
    [sized()],
    lacking('cpu, requested: 3000, allocatable: 2000'),
  ],
  [
    'overhead beside a request of zero',
    resized({ ...wanting('0', '0'), overhead: { cpu: '3' } }),
    [sized()],
    lacking('cpu, requested: 3000, allocatable: 2000'),
  ],
  [
    'too much for the pod',
    resized({ ...wanting('1'), resources: { requests: { cpu: '4' } } }),
    [sized()],
    lacking('cpu, requested: 4000, allocatable: 2000'),
  ],
  [
    'enough for the pod, whatever its containers request',
    resized({ ...wanting('3'), resources: { requests: { cpu: '1' } } }),
    [sized()],
    undefined,
  ],
  [
    'enough cpu for the pod, and too much memory for its container',
    resized({ ...wanting('1', '2Gi'), resources: { requests: { cpu: '1' } } }),
    [sized()],
    lacking('memory, requested: 2147483648, allocatable: 1073741824'),
  ],
  [
    'too much by less than a unit',
    resized(wanting('1', '1073741824.5')),
    [node({ allocatable: { cpu: '2', memory: '1073741824.1' } }, linux)],
    lacking('memory, requested: 1073741825, allocatable: 1073741825'),
  ],
  ['another system', resized(wanting('1')), [sized({ 'kubernetes.io/os': 'windows' })], notLinux('windows')],
  ['a system without a label', resized(wanting('1')), [sized({})], undefined],
  [
    'too much, and another system',
    resized(wanting('3')),
    [sized({ 'kubernetes.io/os': 'windows' })],
    notLinux('windows'),
  ],
  ['a node that does not exist', resized(wanting('1')), [], forbidden('node "n" not found')],
  ['no node', resized({ nodeName: '' }), [], undefined],
  ['the same generation', resized(wanting('3'), 1), [sized()], undefined],
])('a resize to %s', async (_, object, nodes, refusal) => {
  expect(await refusalOf(object, nodes)).toEqual(refusal);
});

it('checks a node without allocatable resources as one that has none', async () => {
  expect(await refusalOf(resized(wanting('1', '0')), [node({}, linux)])).toEqual(
    lacking('cpu, requested: 1000, allocatable: 0'),
  );
});

it('checks resizes only', async () => {
  expect(await refusalOf(resized(wanting('3')), [sized()], 'pods')).toBeUndefined();
  expect(await refusalOf(resized(wanting('3')), [sized()], 'pods.example.com/resize')).toBeUndefined();
});

it('checks a resize whose stored pod is unknown', async () => {
  const plugin = podResizeValidator(testPluginDependencies({ nodes: [sized()] }));
  const check = async (cpu: string) =>
    await plugin.validate?.(objectAttributes('pods/resize', resized(wanting(cpu)), { operation: 'UPDATE' }));
  await expect(check('3')).rejects.toThrow("node didn't have enough allocatable resources");
  await check('2');
});
