import type { KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { amountsOf } from '@apiserver/apimachinery/values';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { printAmounts } from './amounts.js';
import { checkRequest, runningQuota } from './check-request.js';
import { claimEvaluator } from './claim-evaluator.js';
import { deviceClaimEvaluator } from './device-claim-evaluator.js';
import { podEvaluator } from './pod-evaluator.js';
import { objectCountEvaluator, type QuotaEvaluator } from './quota-evaluator.js';
import { serviceEvaluator } from './service-evaluator.js';

const counter = objectCountEvaluator({ group: '', resource: 'secrets' }, 'secrets');

it.each<[string, QuotaEvaluator, readonly string[]]>([
  ['services', serviceEvaluator, ['CREATE', 'UPDATE']],
  ['claims', claimEvaluator, ['CREATE', 'UPDATE']],
  ['device claims', deviceClaimEvaluator(), ['CREATE', 'UPDATE']],
  ['other objects', counter, ['CREATE']],
])('the use of %s changes with some operations', (_what, evaluator, expected) => {
  const operations: readonly AdmissionAttributes['operation'][] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
  const attributes = objectAttributes('services', { apiVersion: 'v1', kind: 'Service', metadata: {} });
  expect(operations.filter((operation) => evaluator.handles({ ...attributes, operation }))).toEqual(expected);
});

const ports = [{ port: 1, nodePort: 30_000 }, { port: 2 }];

it.each<[object, string]>([
  [{ type: 'ClusterIP', ports }, 'count/services=1,services.loadbalancers=0,services.nodeports=0,services=1'],
  [{ type: 'NodePort', ports }, 'count/services=1,services.loadbalancers=0,services.nodeports=2,services=1'],
  [{ type: 'LoadBalancer', ports }, 'count/services=1,services.loadbalancers=1,services.nodeports=2,services=1'],
  [
    { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
    'count/services=1,services.loadbalancers=1,services.nodeports=1,services=1',
  ],
])('a service %j counts for', (spec, expected) => {
  expect(printAmounts(serviceEvaluator.usage({ apiVersion: 'v1', kind: 'Service', metadata: {}, spec }))).toBe(
    expected,
  );
});

it('devices count by class, with the most that may be allocated', () => {
  const spec = {
    devices: {
      requests: [
        { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
        {
          name: 'b',
          firstAvailable: [
            { name: 'x', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 },
            { name: 'y', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
            { name: 'z', deviceClassName: 'nic', allocationMode: 'All' },
          ],
        },
      ],
    },
  };
  const claim: KubeObject = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: {}, spec };
  expect(printAmounts(deviceClaimEvaluator().usage(claim))).toBe(
    [
      'count/resourceclaims.resource.k8s.io=1',
      'gpu.deviceclass.resource.k8s.io/devices=5',
      'nic.deviceclass.resource.k8s.io/devices=32',
    ].join(','),
  );
});

it('refuses updates that would free more than they charge', () => {
  const status = { hard: { secrets: '1' }, used: { secrets: '0' } };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: {}, status };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'ns' } };
  const evaluator: QuotaEvaluator = { ...counter, usage: () => amountsOf({ secrets: '-1', cpu: '1' }) };
  const check = (of: QuotaEvaluator) =>
    atOnce(checkRequest([runningQuota(quota)], objectAttributes('secrets', secret), { evaluator: of, limited: [] }));
  expect(() => check(evaluator)).toThrow('quota usage is negative for resource(s): secrets');
  expect(check(counter).map(({ used }) => printAmounts(used))).toEqual(['secrets=1']);
});

it('claims count in total and for their class, with the storage that is being allocated', () => {
  const usage = (spec: object, status: object = {}) =>
    printAmounts(claimEvaluator.usage({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {}, spec, status }));
  const resources = { requests: { storage: '1500m' } };
  const counts = 'count/persistentvolumeclaims=1,persistentvolumeclaims=1';
  const gold = 'gold.storageclass.storage.k8s.io/';
  expect([
    usage({}),
    usage({ resources }),
    usage({ resources, storageClassName: 'gold' }),
    usage({ resources }, { allocatedResources: { storage: '2500m' } }),
    usage({ resources }, { allocatedResources: { storage: '1' } }),
    usage({}, { allocatedResources: { storage: '1' } }),
  ]).toEqual([
    counts,
    `${counts},requests.storage=2`,
    `count/persistentvolumeclaims=1,${gold}persistentvolumeclaims=1,${gold}requests.storage=2,persistentvolumeclaims=1,requests.storage=2`,
    `${counts},requests.storage=3`,
    `${counts},requests.storage=2`,
    counts,
  ]);
});

it.each<[string, QuotaEvaluator, readonly string[], readonly string[]]>([
  [
    'services',
    serviceEvaluator,
    ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'],
    ['pods', ''],
  ],
  [
    'claims',
    claimEvaluator,
    [
      ...['count/persistentvolumeclaims', 'persistentvolumeclaims', 'requests.storage'],
      ...['a.storageclass.storage.k8s.io/requests.storage', 'a.storageclass.storage.k8s.io/persistentvolumeclaims'],
    ],
    ['a.storageclass.storage.k8s.io/pods', 'requests.cpu', 'a.other/requests.storage'],
  ],
  [
    'device claims',
    deviceClaimEvaluator(),
    ['count/resourceclaims.resource.k8s.io', 'a.deviceclass.resource.k8s.io/devices'],
    ['a.deviceclass.resource.k8s.io/devices2', 'resourceclaims'],
  ],
])('%s count for some names only', (_what, evaluator, counted, others) => {
  expect([counted.filter(evaluator.counts), others.filter(evaluator.counts)]).toEqual([counted, []]);
});

const NOW = Date.parse('2030-01-01T00:01:00Z');
const ALL =
  'count/pods=1,cpu=1,hugepages-2Mi=2Mi,limits.cpu=2,pods=1,requests.cpu=1,requests.example.com/a=1,requests.hugepages-2Mi=2Mi';
const deleted = (seconds: number | undefined, deletionTimestamp = '2030-01-01T00:00:50Z') => ({
  deletionTimestamp,
  deletionGracePeriodSeconds: seconds,
});

it.each<[string, object, object, string]>([
  ['that runs', {}, {}, ALL],
  ['whose deletion is over', deleted(9), {}, 'count/pods=1'],
  ['whose deletion ends now', deleted(10), {}, ALL],
  ['whose deletion lasts', deleted(11), {}, ALL],
  ['that is deleted without a grace period', deleted(undefined), {}, ALL],
  ['that has failed', {}, { phase: 'Failed' }, 'count/pods=1'],
  ['that has succeeded', {}, { phase: 'Succeeded' }, 'count/pods=1'],
  ['that is pending', {}, { phase: 'Pending' }, ALL],
])('a pod %s', (_, metadata, status, expected) => {
  const resources = {
    requests: { cpu: '1', 'example.com/a': '1', storage: '1', 'hugepages-2Mi': '2Mi' },
    limits: { cpu: '2', 'example.com/a': '1' },
  };
  const spec = { containers: [{ name: 'c', resources }] };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status } as KubeObject;
  expect(printAmounts(podEvaluator({ now: () => NOW }, (spec) => spec).usage(object))).toBe(expected);
});

it('the scope of a claim is one of its volume attributes classes', () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {},
    spec: { volumeAttributesClassName: 'a' },
    status: {
      currentVolumeAttributesClassName: 'b',
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'c', status: 'Pending' },
    },
  };
  const matches = (value: string, scopeName = 'VolumeAttributesClass', object: KubeObject = claim) =>
    claimEvaluator.matchesScope({ scopeName, operator: 'In', values: [value] }, object);
  const without = { ...claim, spec: { volumeAttributesClassName: '' }, status: {} };
  expect([
    ...['a', 'b', 'c', 'd'].map((value) => matches(value)),
    matches('a', 'PriorityClass'),
    matches('', 'VolumeAttributesClass', without),
    serviceEvaluator.matchesScope({ scopeName: 'PriorityClass', operator: 'Exists' }, claim),
    deviceClaimEvaluator().matchesScope({ scopeName: 'PriorityClass', operator: 'Exists' }, claim),
  ]).toEqual([true, true, true, false, false, false, false, false]);
});
