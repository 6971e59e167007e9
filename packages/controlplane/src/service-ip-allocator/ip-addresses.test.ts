import type { IPAddress } from '@apiserver/api/networking/v1';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { addressOf, IP_ADDRESSES } from '../testing/service-fixtures.js';
import { hasAllocatorLabels, holdingService } from './ip-address-object.js';
import { storedIPAddresses } from './ip-addresses.js';
import { parseIPRange } from './ip-range.js';
import { RangeAllocator } from './range-allocator.js';

const service = { namespace: 'ns', name: 'a' };

function setUp(known: readonly IPAddress[] = []) {
  const client = fakeClient();
  const objects: ResourceClient<IPAddress> = client.resource(IP_ADDRESSES);
  const { logger, lines } = createTestLogger();
  const informer: Informer<IPAddress> = {
    synced: async () => {},
    subscribe: () => () => {},
    [Symbol.asyncDispose]: async () => {},
    get: (_namespace, name) => known.find(({ metadata }) => metadata.name === name),
    list: () => known,
  };
  const sharing = { resource: () => objects as never };
  return { addresses: storedIPAddresses({ informer, client: sharing, logger }), objects, lines };
}

it('takes an address by an object, which only one can create', async () => {
  const { addresses, objects } = setUp();
  expect([await addresses.take('10.0.0.5', service), await addresses.take('10.0.0.5', service)]).toEqual([true, false]);
  expect((await objects.get('', '10.0.0.5')).spec.parentRef).toEqual({ resource: 'services', ...service });
  objects.create = () => Promise.reject(newServiceUnavailable('no storage'));
  await expect(addresses.take('10.0.0.6', service)).rejects.toMatchObject({ message: 'no storage' });
});

it('deletes the object of an address that is free again, and only logs a failure', async () => {
  const { addresses, objects, lines } = setUp();
  await addresses.take('10.0.0.5', service);
  await addresses.giveBack('10.0.0.5');
  expect((await objects.list('')).items).toEqual([]);
  expect(lines).toEqual([]);
  objects.delete = () => Promise.reject(new Error('no storage'));
  await addresses.giveBack('10.0.0.5');
  expect(lines).toEqual([
    { level: 'info', message: 'Error releasing an IP', fields: { address: '10.0.0.5', err: 'no storage' } },
  ]);
});

it('knows the addresses of services by its informer', () => {
  const unlabelled = addressOf('10.0.0.7', 'a', { metadata: { name: '10.0.0.7' } });
  const { labels: _labels, ...bare } = unlabelled.metadata;
  const wrong = { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'mine' };
  const { addresses } = setUp([
    ...[addressOf('10.0.0.5', 'a'), addressOf('fd00::5', 'a'), { ...unlabelled, metadata: bare }],
    { ...unlabelled, metadata: { name: '10.0.0.8', labels: wrong } },
  ]);
  expect([addresses.held('IPv4'), addresses.held('IPv6')]).toEqual([['10.0.0.5'], ['fd00::5']]);
  expect(['10.0.0.5', '10.0.0.6'].map((address) => addresses.isTaken(address))).toEqual([true, false]);
});

it('reads the holder and the labels of an object', () => {
  const of = (parentRef: IPAddress['spec']['parentRef']) =>
    holdingService({ ...addressOf('10.0.0.5', 'a'), spec: parentRef === undefined ? {} : { parentRef } });
  expect([
    of({ resource: 'services', ...service }),
    of({ resource: 'services' }),
    of({ group: 'apps', resource: 'services', ...service }),
    of({ resource: 'pods', ...service }),
    of(undefined),
  ]).toEqual([service, { namespace: '', name: '' }, undefined, undefined, undefined]);
  const wrongFamily = addressOf('fd00::5', 'a');
  const labels = { ...wrongFamily.metadata.labels, 'ipaddress.kubernetes.io/ip-family': 'IPv4' };
  const metadata = { ...wrongFamily.metadata, labels };
  expect([wrongFamily, { ...wrongFamily, metadata }].map(hasAllocatorLabels)).toEqual([true, false]);
});

it('refuses an address out of the range', async () => {
  const { addresses } = setUp();
  const counted: string[] = [];
  const range = parseIPRange('10.0.0.0/24');
  if (range === undefined) throw new TypeError('no range');
  const allocator = new RangeAllocator(range, {
    addresses,
    random: () => 0,
    clock: new ManualClock(),
    metrics: {
      allocated: (...given) => void counted.push(`allocated ${given.join(' ')}`),
      failed: (...given) => void counted.push(`failed ${given.join(' ')}`),
      took: () => {},
      changed: () => {},
    },
  });
  await expect(allocator.allocate('10.0.1.1', service)).rejects.toMatchObject({
    message: 'provided IP 10.0.1.1 is not in the valid range',
  });
  await allocator.allocate('10.0.0.1', service);
  await expect(allocator.allocate('10.0.0.1', service)).rejects.toMatchObject({
    message: 'provided IP is already allocated',
  });
  expect(counted).toEqual(['failed 10.0.0.0/24 static', 'allocated 10.0.0.0/24 static', 'failed 10.0.0.0/24 static']);
});
