import type { ServiceCIDR, ServiceCIDRStatus } from '@apiserver/api/networking/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { serviceCIDRs } from './index.js';

const { strategy, columns, subresources } = serviceCIDRs(TEST_FEATURES);
const status = subresources['status']?.strategy;
const context = testContext({ namespace: '' });

const READY: ServiceCIDRStatus = {
  conditions: [{ type: 'Ready', status: 'True', reason: '', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' }],
};
const serviceCIDR = (cidrs: string[] = ['10.0.0.0/24'], status: ServiceCIDRStatus = {}): ServiceCIDR => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
  spec: { cidrs },
  status,
});

const at = (i: number) => `spec.cidrs[${i}]: Invalid value:`;
const families = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

describe('validation', () => {
  it.each<[string[], string]>([
    [['10.0.0.0/24'], ''],
    [['10.0.0.0/24', '2001:db8::/64'], ''],
    [[], 'spec.cidrs: Required value: at least one CIDR required'],
    [['10.0.0.0/24', '10.0.1.0/24'], families],
    [['10.0.0.0/24', '10.0.1.0/24'], `spec.cidrs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: ${families}`],
    [['10.0.0.0/24', '10.0.1.1/24'], `${at(1)} "10.0.1.1/24": must not have bits set beyond the prefix length`],
    [['10.0.0.0/24', 'x'], `${at(1)} "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`],
    [['a', 'b', 'c'], 'spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values'],
    [['x'], `${at(0)} "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`],
    [['10.0.0.1/24'], `${at(0)} "10.0.0.1/24": must not have bits set beyond the prefix length`],
    [['2001:DB8::/64'], `${at(0)} "2001:DB8::/64": must be in canonical form ("2001:db8::/64")`],
  ])('%j', async (cidrs, fault) => {
    const found = aggregateFieldErrors(await strategy.validate(context, serviceCIDR(cidrs)));
    if (fault === '') expect(found).toBe('');
    else expect(found).toContain(fault);
  });

  it.each<[string[], string[], string]>([
    [['10.0.0.0/24'], ['10.0.0.0/24'], ''],
    [['10.0.0.0/24'], ['10.0.1.0/24'], `${at(0)} "10.0.1.0/24": field is immutable`],
    [['10.0.0.0/24', '2001:db8::/64'], ['10.0.0.0/24', 'x'], `${at(1)} "x": field is immutable`],
    [['10.0.0.0/24'], ['10.0.0.0/24', '2001:db8::/64'], ''],
    [['10.0.0.0/24'], ['10.0.0.0/24', '10.0.1.0/24'], families],
    [['10.0.0.0/24'], ['10.0.1.0/24', '2001:db8::/64'], `${at(0)} "10.0.1.0/24": field is immutable`],
    [
      ['10.0.0.0/24', '2001:db8::/64'],
      ['10.0.0.0/24'],
      'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable',
    ],
  ])('%j to %j', async (before, after, fault) => {
    const found = aggregateFieldErrors(await strategy.validateUpdate(context, serviceCIDR(after), serviceCIDR(before)));
    if (fault === '') expect(found).toBe('');
    else expect(found).toContain(fault);
  });
});

it('reports conditions at its own endpoint', async () => {
  const made = serviceCIDR(undefined, READY);
  await strategy.prepareForCreate?.(context, made);
  expect(made.status).toEqual({});
  const updated = serviceCIDR(undefined, {});
  await strategy.prepareForUpdate?.(context, updated, serviceCIDR(undefined, READY));
  expect(updated.status).toEqual(READY);
  const reported = { ...serviceCIDR(['10.0.1.0/24'], READY), metadata: { name: 'a', labels: { a: 'b' } } };
  await status?.prepareForUpdate?.(context, reported, serviceCIDR());
  expect(reported).toEqual({ ...serviceCIDR(undefined, READY), metadata: { name: 'a' } });
  expect(await status?.validateUpdate(context, serviceCIDR(), serviceCIDR())).toEqual([]);
});

it('shows its networks', () => {
  expect(columns[1]?.cell(serviceCIDR(['10.0.0.0/24', '2001:db8::/64']), rowTime(0))).toBe('10.0.0.0/24,2001:db8::/64');
});

it('keeps a status that a client sends, without ServiceCIDRStatusFieldWiping', async () => {
  const { strategy: old, subresources } = serviceCIDRs(testFeatures({ ServiceCIDRStatusFieldWiping: false }));
  const made = serviceCIDR(undefined, READY);
  await old.prepareForCreate?.(context, made);
  const updated = serviceCIDR(undefined, {});
  await old.prepareForUpdate?.(context, updated, serviceCIDR(undefined, READY));
  expect([made.status, updated.status, old.resetFields]).toEqual([READY, {}, undefined]);
  expect(subresources['status']?.strategy?.resetFields).toEqual(['metadata', 'spec']);
});
