import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultAdvertiseAddress, localHost, servingNames } from './serving-names.js';

const entry = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  internal,
  family: 'IPv4',
  netmask: '',
  mac: '',
  cidr: null,
});
const entry6 = (address: string): NetworkInterfaceInfo => ({ ...entry(address), family: 'IPv6', scopeid: 0 });

describe('defaultAdvertiseAddress', () => {
  it.each([
    ['192.0.2.1', {}, '192.0.2.1'],
    ['0.0.0.0', { lo: [entry('127.0.0.1', true)], eth0: [entry6('fd00::1'), entry('192.0.2.7')] }, '192.0.2.7'],
    ['127.0.0.1', { eth0: [entry('192.0.2.7')] }, '192.0.2.7'],
    ['::', { eth0: [entry6('fe80::1'), entry6('fd00::1')] }, 'fd00::1'],
    ['0.0.0.0', { lo: [entry('127.0.0.1', true)] }, '127.0.0.1'],
    ['::1', { eth0: [entry('192.0.2.7')] }, '192.0.2.7'],
    ['', { eth0: [entry('192.0.2.7')] }, '192.0.2.7'],
    ['0:0:0:0:0:0:0:0', { eth0: [entry('192.0.2.7')] }, '192.0.2.7'],
    ['fd00::1', { eth0: [entry('192.0.2.7')] }, 'fd00::1'],
    ['10::', { eth0: [entry('192.0.2.7')] }, '10::'],
    ['10.127.0.1', { eth0: [entry('192.0.2.7')] }, '10.127.0.1'],
    ['::', { none: undefined, eth0: [entry6('FE80::1'), entry6('fd00::fe80:1')] }, 'fd00::fe80:1'],
  ])('%s', (bindAddress, interfaces, address) => {
    expect(defaultAdvertiseAddress(bindAddress, interfaces)).toBe(address);
  });

  it('prefers the interface that leads anywhere', () => {
    const interfaces = { docker0: [entry('172.17.0.1')], eth1: [entry6('fd00::7'), entry('192.0.2.7')] };
    const chosen = (...names: readonly string[]) => defaultAdvertiseAddress('0.0.0.0', interfaces, () => names);
    expect([chosen('eth1'), chosen('gone'), chosen()]).toEqual(['192.0.2.7', '172.17.0.1', '172.17.0.1']);
  });
});

it.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['192.0.2.1', '192.0.2.1'],
  ['fd00::1', '[fd00::1]'],
  ['', '[::1]'],
  ['here', 'here'],
])('a server bound to %s is reached at %s', (bindAddress, host) => {
  expect(localHost(bindAddress)).toBe(host);
});

it('leaves out host names that no certificate can name', () => {
  const names = (hostname: string) =>
    servingNames({ hostname, serviceAddress: '10.0.0.1', advertiseAddress: '10.0.0.1', bindAddress: '::' });
  expect(names('Some-Host.Example').dnsNames.at(-1)).toBe('some-host.example');
  const left = ['bad_host', '-a', 'a-', '.a', 'a.', '10.0.0.9', 'a'.repeat(254), '', 'ä'];
  expect(left.map((hostname) => names(hostname).dnsNames.at(-1))).toEqual(left.map(() => 'localhost'));
  const kept = ['a', 'a.b-c', 'a'.repeat(253), '9'];
  expect(kept.map((hostname) => names(hostname).dnsNames.at(-1))).toEqual(kept);
  expect(names('x').addresses).toEqual(['127.0.0.1', '::1', '10.0.0.1']);
});

it('names each address once, and no unspecified one', () => {
  const { dnsNames, addresses } = servingNames({
    hostname: 'localhost',
    serviceAddress: '10.0.0.1',
    advertiseAddress: '192.0.2.1',
    bindAddress: '192.0.2.1',
  });
  expect([dnsNames, addresses]).toEqual([
    ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'localhost'],
    ['127.0.0.1', '::1', '10.0.0.1', '192.0.2.1'],
  ]);
});
