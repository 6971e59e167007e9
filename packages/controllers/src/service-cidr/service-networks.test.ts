import { expect, it } from 'vitest';
import { containsAddress, mayBeDeleted, overlap } from './service-networks.js';

const cidr = (name: string, ...cidrs: readonly string[]) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name },
  spec: { cidrs: [...cidrs] },
  status: {},
});
const address = (name: string, manager = 'ipallocator.k8s.io') => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  spec: {},
  metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': manager } },
});

it.each([
  ['10.0.0.7', true],
  ['2001:db8::7', true],
  ['10.0.1.7', false],
  ['words', false],
])('contains %s: %s', (text, expected) => {
  expect(containsAddress(cidr('a', '10.0.0.0/24', '2001:db8::/64'), text)).toBe(expected);
});

it.each([
  ['10.0.0.0/24', '10.0.0.0/25', true],
  ['10.0.0.128/25', '10.0.0.0/24', true],
  ['10.0.0.0/24', '10.0.0.0/24', true],
  ['10.0.0.0/25', '10.0.0.128/25', false],
  ['10.0.0.0/24', '2001:db8::/64', false],
])('%s and %s overlap: %s', (a, b, expected) => {
  expect(overlap(cidr('a', a), cidr('b', b))).toBe(expected);
});

it.each([
  ['nobody has an address of it', [], [address('10.1.0.1')], true],
  ['a service has an address of it', [], [address('10.0.0.1')], false],
  ['the address is not of a service', [], [address('10.0.0.1', 'me')], true],
  ['another contains it', [cidr('b', '10.0.0.0/23')], [address('10.0.0.1')], true],
  ['another contains the address', [cidr('b', '10.0.0.0/28')], [address('10.0.0.1')], true],
  ['another contains other addresses', [cidr('b', '10.0.0.0/28')], [address('10.0.0.1'), address('10.0.0.99')], false],
])('may be deleted if %s: %#', async (_, others, addresses, expected) => {
  const own = cidr('a', '10.0.0.0/24');
  expect(await mayBeDeleted(own, [own, ...others], addresses)).toBe(expected);
});
