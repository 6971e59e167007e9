import type { ContainerStatus, Pod, PodSpec } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { printAmounts } from '../quota/amounts.js';
import { container, pod } from '../testing/sample-objects.js';
import { podUsageAmounts } from './pod-usage.js';

const usage = (spec: Partial<PodSpec>, status: Pod['status'] = {}) => {
  const object: Pod = { ...pod(spec), status };
  return (['requests', 'limits'] as const).map((field) => printAmounts(podUsageAmounts(object, field)));
};
const ofContainer = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  containers: [container({ resources: { requests, limits } })],
});
const given = (requests: Record<string, string>, more: Partial<ContainerStatus> = {}): ContainerStatus[] => [
  {
    name: 'c',
    image: 'i',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: {},
    lastState: {},
    resources: { requests, limits: { cpu: '9' } },
    ...more,
  },
];
const INFEASIBLE = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' };

it.each<[string, Partial<PodSpec>, Pod['status'], string, string]>([
  ['the requested amounts', ofContainer({ cpu: '1' }, { cpu: '2' }), {}, 'cpu=1', 'cpu=2'],
  [
    'its overhead, which makes no limit where there is none',
    { ...ofContainer({ cpu: '1' }, { cpu: '2' }), overhead: { cpu: '250m', memory: '1Mi' } },
    {},
    'cpu=1250m,memory=1Mi',
    'cpu=2250m',
  ],
  [
    'what it has been given where that is more',
    ofContainer({ cpu: '1' }, { cpu: '2' }),
    { containerStatuses: given({ cpu: '3' }) },
    'cpu=3',
    'cpu=9',
  ],
  [
    'what it asks for where that is more',
    ofContainer({ cpu: '4' }, { cpu: '10' }),
    { containerStatuses: given({ cpu: '3' }) },
    'cpu=4',
    'cpu=10',
  ],
  [
    'what has been set aside for it',
    ofContainer({ cpu: '1' }),
    { containerStatuses: given({ cpu: '2' }, { allocatedResources: { cpu: '5' } }) },
    'cpu=5',
    'cpu=9',
  ],
  [
    'not what it cannot be given',
    ofContainer({ cpu: '40' }, { cpu: '40' }),
    { containerStatuses: given({ cpu: '3' }), conditions: [INFEASIBLE] },
    'cpu=3',
    'cpu=9',
  ],
  [
    'what a restartable init container has been given',
    {
      containers: [container({ name: 'd' })],
      initContainers: ofContainer({ cpu: '1' }).containers.map((one) => ({ ...one, restartPolicy: 'Always' })),
    },
    { initContainerStatuses: given({ cpu: '3' }) },
    'cpu=3',
    'cpu=9',
  ],
  [
    'not what an init container that ends has been given',
    { containers: [container({ name: 'd' })], initContainers: ofContainer({ cpu: '1' }, { cpu: '2' }).containers },
    { initContainerStatuses: given({ cpu: '3' }) },
    'cpu=1',
    'cpu=2',
  ],
  [
    'no overhead beside a limit of zero',
    { ...ofContainer({ cpu: '0' }, { cpu: '0' }), overhead: { cpu: '250m' } },
    {},
    'cpu=250m',
    'cpu=0',
  ],
  [
    'what it asks for, with a resize that waits for another reason',
    ofContainer({ cpu: '40' }, { cpu: '40' }),
    { containerStatuses: given({ cpu: '3' }), conditions: [{ ...INFEASIBLE, reason: 'Deferred' }] },
    'cpu=40',
    'cpu=40',
  ],
  [
    'what it asks for, with another infeasible condition',
    ofContainer({ cpu: '40' }, { cpu: '40' }),
    { containerStatuses: given({ cpu: '3' }), conditions: [{ ...INFEASIBLE, type: 'Other' }] },
    'cpu=40',
    'cpu=40',
  ],
  [
    'memory and huge pages that the pod asks for as a whole',
    { ...ofContainer({ memory: '1', cpu: '1' }), resources: { requests: { memory: '3', 'hugepages-2Mi': '2Mi' } } },
    {},
    'cpu=1,hugepages-2Mi=2Mi,memory=3',
    '',
  ],
  [
    'what the pod asks for as a whole',
    {
      ...ofContainer({ cpu: '1', 'example.com/gpu': '1' }),
      resources: { requests: { cpu: '3', 'example.com/gpu': '7' } },
    },
    {},
    'cpu=3,example.com/gpu=1',
    '',
  ],
])('a pod counts for %s', (...row) => {
  const [, spec, status, requests, limits] = row;
  expect(usage(spec, status)).toEqual([requests, limits]);
});
