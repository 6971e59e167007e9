import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { pod } from '../testing/sample-objects.js';
import { QuotaRecount } from './quota-recount.js';

const recount = new QuotaRecount({ now: () => 0 }, { enabled: () => true });
const PODS = { group: '', resource: 'pods' };
const SECRETS = { group: '', resource: 'secrets' };

function quota(hard: Record<string, string> | undefined, changes: Partial<ResourceQuota> = {}): ResourceQuota {
  const spec = hard === undefined ? {} : { hard };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec, status: {}, ...changes };
}

const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };

it('concerns resources that are counted, and that the quota limits', () => {
  expect([
    recount.concerns(quota({ pods: '1' }), PODS),
    recount.concerns(quota({ cpu: '1', secrets: '1' }), PODS),
    recount.concerns(quota({ secrets: '1' }), PODS),
    recount.concerns(quota({}), PODS),
    recount.concerns(quota(undefined), PODS),
    recount.concerns(quota({ 'count/events': '1' }), { group: '', resource: 'events' }),
    recount.concerns(quota({ 'count/things.example.com': '1' }), { group: 'example.com', resource: 'things' }),
  ]).toEqual([true, true, false, false, false, false, true]);
});

it('has one text for the same usage', () => {
  expect([recount.usageText(SECRETS, secret), recount.usageText(PODS, pod())]).toEqual([
    'count/secrets=1,secrets=1',
    'count/pods=1,pods=1',
  ]);
});

it('counts the objects in all scopes of the quota', async () => {
  const terminating = pod({ activeDeadlineSeconds: 1 });
  const usage = (changes: Partial<ResourceQuota['spec']>) => {
    const { spec, ...rest } = quota({ pods: '1', 'requests.cpu': '1', secrets: '1' });
    return recount.usage({ ...rest, spec: { ...spec, ...changes } }, PODS, [pod(), terminating, terminating]);
  };
  const usages = [
    usage({}),
    usage({ scopes: ['Terminating'] }),
    usage({ scopes: ['Terminating', 'NotTerminating'] }),
    usage({ scopeSelector: { matchExpressions: [{ scopeName: 'NotTerminating', operator: 'Exists' }] } }),
    recount.usage(quota(undefined), PODS, [pod()]),
  ];
  expect(await Promise.all(usages)).toEqual([
    { pods: '3', 'requests.cpu': '0' },
    { pods: '2', 'requests.cpu': '0' },
    { pods: '0', 'requests.cpu': '0' },
    { pods: '1', 'requests.cpu': '0' },
    {},
  ]);
});

it('changes a status only where the usage or the limits differ', () => {
  const hard = { pods: '2', secrets: '5' };
  const status = { hard: { pods: '2', secrets: '5000m' }, used: { pods: '1', secrets: '3' } };
  const of = (changes: Partial<ResourceQuota['status']>, counted: Record<string, string>) =>
    recount.recounted(quota(hard, { status: { ...status, ...changes } }), counted)?.status;
  expect([
    of({}, { pods: '1' }),
    of({}, { pods: '1', secrets: '3000m', services: '1' }),
    of({}, { pods: '2' }),
    of({ hard: { pods: '1', secrets: '5' } }, { pods: '1' }),
    of({ used: { pods: '1', secrets: '3', services: '1' } }, { pods: '1' }),
  ]).toEqual([
    undefined,
    undefined,
    { hard, used: { pods: '2', secrets: '3' } },
    { hard, used: { pods: '1', secrets: '3' } },
    { hard, used: { pods: '1', secrets: '3' } },
  ]);
});

it('writes the first status of a quota, also without limits', () => {
  expect([
    recount.recounted(quota({ pods: '2' }), { pods: '0' })?.status,
    recount.recounted(quota(undefined), {})?.status,
    recount.recounted(quota(undefined, { status: { hard: {} } }), {})?.status,
    recount.recounted(quota(undefined, { status: { used: {} } }), {})?.status,
    recount.recounted(quota(undefined, { status: { hard: {}, used: {} } }), {})?.status,
  ]).toEqual([
    { hard: { pods: '2' }, used: { pods: '0' } },
    { hard: {}, used: {} },
    { hard: {}, used: {} },
    { hard: {}, used: {} },
    undefined,
  ]);
});

it('adds the usages of several resources', () => {
  const hard = { 'requests.example.com/gpu': '9', pods: '9' };
  const recounted = recount.recounted(
    quota(hard),
    { 'requests.example.com/gpu': '1', pods: '1' },
    { 'requests.example.com/gpu': '2' },
  );
  expect(recounted?.status.used).toEqual({ 'requests.example.com/gpu': '3', pods: '1' });
});

it('keeps charges that came during a count', () => {
  const hard = { pods: '9', 'requests.cpu': '9' };
  const of = (used: Record<string, string>, changes: Partial<ResourceQuota> = {}) =>
    quota(hard, { status: { hard, used }, ...changes });
  const before = of({ pods: '5', 'requests.cpu': '5' });
  const recounted = of({ pods: '2', 'requests.cpu': '1' });
  const withCharges = (current: ResourceQuota) => recount.withCharges(recounted, before, current)?.status.used;
  const charged = { pods: '7', 'requests.cpu': '5500m', 'count/pods': '1' };
  expect([
    withCharges(of(charged)),
    withCharges(of({ pods: '4', 'requests.cpu': '9' })),
    withCharges(of(charged, { metadata: { name: 'q', uid: 'other' } })),
    withCharges(of(charged, { spec: { hard: { pods: '9' } } })),
    withCharges(of(charged, { status: { hard: { pods: '9' }, used: charged } })),
  ]).toEqual([{ pods: '4', 'requests.cpu': '1500m' }, undefined, undefined, undefined, undefined]);
  const current = of(charged, { metadata: { name: 'q', resourceVersion: '7' } });
  expect(recount.withCharges(recounted, before, current)?.metadata).toBe(current.metadata);
});

it('tells counts that lower a usage', () => {
  const used = (amounts: Record<string, string>) => quota(amounts, { status: { hard: amounts, used: amounts } });
  const before = used({ pods: '2', 'requests.cpu': '1' });
  expect([
    recount.isLowered(before, used({ pods: '1', 'requests.cpu': '2' })),
    recount.isLowered(before, used({ pods: '2', 'requests.cpu': '999m' })),
    recount.isLowered(before, used({ pods: '3', 'requests.cpu': '1000m' })),
    recount.isLowered(quota({}, { status: {} }), used({ pods: '0' })),
  ]).toEqual([true, true, false, false]);
});
