import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { amountsOf } from '../pods/pod-resources.js';
import { objectAttributes } from '../testing/attributes.js';
import { printAmounts } from './amounts.js';
import { checkRequest, runningQuota } from './check-request.js';
import { claimEvaluator } from './claim-evaluator.js';
import { deviceClaimEvaluator } from './device-claim-evaluator.js';
import { objectCountEvaluator, type QuotaEvaluator } from './quota-evaluator.js';
import { serviceEvaluator } from './service-evaluator.js';

const counter = objectCountEvaluator({ group: '', resource: 'secrets' }, 'secrets');

it.each<[string, QuotaEvaluator, readonly string[]]>([
  ['services', serviceEvaluator, ['CREATE', 'UPDATE']],
  ['claims', claimEvaluator, ['CREATE', 'UPDATE']],
  ['device claims', deviceClaimEvaluator, ['CREATE', 'UPDATE']],
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
  expect(printAmounts(deviceClaimEvaluator.usage(claim))).toBe(
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
    checkRequest([runningQuota(quota)], objectAttributes('secrets', secret), { evaluator: of, limited: [] });
  expect(() => check(evaluator)).toThrow('quota usage is negative for resource(s): secrets');
  expect(check(counter).map(({ used }) => printAmounts(used))).toEqual(['secrets=1']);
});
