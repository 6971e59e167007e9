import type { Service } from '@apiserver/api/core/v1';
import type { IPAddress } from '@apiserver/api/networking/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newServiceUnavailable, type StatusError } from '@apiserver/apimachinery/errors';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import {
  addressOf,
  allocatorsOf,
  eventsOf,
  IP_ADDRESSES,
  loggerOf,
  SERVICE_CIDRS,
  SERVICES,
  serviceCIDROf,
  serviceOf,
} from '../testing/service-fixtures.js';
import { ServiceIPRepair } from './service-ip-repair.js';

const MINUTE = 60_000;

/** Runs one round over these objects, `age` milliseconds after the epoch. */
async function repaired(services: Service[], addresses: IPAddress[], age = 10 * MINUTE) {
  const client = fakeClient();
  const store = async (resource: typeof SERVICES, objects: readonly KubeObject[]) => {
    for (const object of objects) await client.resource(resource).create(object.metadata.namespace ?? '', object);
  };
  await store(SERVICE_CIDRS, [serviceCIDROf('kubernetes', '10.0.0.0/24', 'fd00::/112')]);
  await store(SERVICES, services);
  await store(IP_ADDRESSES, addresses);
  const clock = new ManualClock(age);
  await using allocators = allocatorsOf(client, clock);
  const { informers } = allocators;
  await Promise.all([informers.services.synced(), informers.ipAddresses.synced(), informers.serviceCIDRs.synced()]);
  const reported: string[] = [];
  const waiting: string[] = [];
  const later = { add: (name: string, milliseconds: number) => void waiting.push(`${name} ${milliseconds}`) };
  const repair = new ServiceIPRepair({
    allocators,
    client,
    clock,
    later,
    events: eventsOf(reported),
    logger: loggerOf([]),
  });
  await repair.syncAll();
  const { items } = await client.resource<IPAddress>(IP_ADDRESSES).list('');
  const left = items.map(({ object: { metadata, spec } }) => [
    metadata.name,
    spec.parentRef?.name,
    metadata.labels?.['ipaddress.kubernetes.io/ip-family'],
    metadata.labels?.['ipaddress.kubernetes.io/managed-by'],
  ]);
  return { reported, waiting, left };
}

const ours = (name: string, service: string, family = 'IPv4') => [name, service, family, 'ipallocator.k8s.io'];
const a = serviceOf('a', { clusterIPs: ['10.0.0.5'] });
const foreign = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress' };

it('leaves correct and foreign objects unchanged', async () => {
  const others: IPAddress = {
    ...foreign,
    metadata: { name: '10.9.0.1' },
    spec: { parentRef: { group: 'example.com', resource: 'gateways', name: 'g' } },
  };
  const services = [
    serviceOf('a', { clusterIPs: ['10.0.0.5', 'FD00::5'] }),
    serviceOf('b', { clusterIPs: ['None'] }),
    serviceOf('c', { type: 'ExternalName' }),
  ];
  expect(await repaired(services, [addressOf('10.0.0.5', 'a'), addressOf('fd00::5', 'a'), others], 0)).toEqual({
    reported: [],
    waiting: [],
    left: [ours('10.0.0.5', 'a'), ours('fd00::5', 'a', 'IPv6'), ['10.9.0.1', 'g', undefined, undefined]],
  });
});

it.each<[string, Service[], IPAddress[], string[], unknown[]]>([
  [
    'makes what is missing',
    [serviceOf('a', { clusterIPs: ['10.0.0.5', 'fd00::5'] })],
    [],
    [
      'a ClusterIPNotAllocated: Cluster IP [IPv4]: 10.0.0.5 is not allocated; repairing',
      'a ClusterIPNotAllocated: Cluster IP [IPv6]: fd00::5 is not allocated; repairing',
    ],
    [ours('10.0.0.5', 'a'), ours('fd00::5', 'a', 'IPv6')],
  ],
  [
    'makes again what is for something else',
    [a],
    [{ ...addressOf('10.0.0.5', 'a'), spec: { parentRef: { group: 'x.y', resource: 'services', name: 'a' } } }],
    ['a ClusterIPNotAllocated: the ClusterIP [IPv4]: 10.0.0.5 for Service ns/a has a wrong reference; repairing'],
    [ours('10.0.0.5', 'a')],
  ],
  [
    'makes again what is for a service that is gone',
    [a],
    [addressOf('10.0.0.5', 'gone')],
    ['a ClusterIPNotAllocated: the ClusterIP [IPv4]: 10.0.0.5 for Service ns/a has a wrong reference; repairing'],
    [ours('10.0.0.5', 'a')],
  ],
  [
    'tells of what two services have',
    [a, serviceOf('b', { clusterIPs: ['10.0.0.5'] })],
    [addressOf('10.0.0.5', 'a')],
    [
      'b ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.5 was assigned to multiple services; please recreate service',
    ],
    [ours('10.0.0.5', 'a')],
  ],
  [
    'makes again what lost its labels, without a word',
    [a],
    [addressOf('10.0.0.5', 'a', { metadata: { labels: {} } })],
    [],
    [ours('10.0.0.5', 'a')],
  ],
  [
    'tells of what no ServiceCIDR has',
    [serviceOf('a', { clusterIPs: ['10.1.0.5'] }), serviceOf('b', { clusterIPs: ['10.0.0.255'] })],
    [],
    [
      'a ClusterIPOutOfRange: Cluster IP [IPv4]: 10.1.0.5 is not within any configured Service CIDR; please recreate service',
      'b ClusterIPOutOfRange: Cluster IP [IPv4]: 10.0.0.255 is not within any configured Service CIDR; please recreate service',
    ],
    [],
  ],
  [
    'tells of what is no address',
    [serviceOf('a', { clusterIPs: ['x'] })],
    [],
    ['a ClusterIPNotValid: Cluster IP <nil> is not a valid IP; please recreate Service'],
    [],
  ],
  [
    'removes what no service has',
    [a],
    [
      ...[addressOf('10.0.0.5', 'a'), addressOf('10.0.0.6', 'gone'), addressOf('10.0.0.7', 'a')],
      { ...addressOf('10.0.0.8', 'a'), spec: { parentRef: { resource: 'services', name: 'a' } } },
    ],
    [
      '10.0.0.6 IPAddressNotAllocated: IPAddress: 10.0.0.6 for Service ns/gone appears to have leaked: cleaning up',
      '10.0.0.7 IPAddressWrongReference: IPAddress: 10.0.0.7 for Service ns/a has a wrong reference; cleaning up',
      '10.0.0.8 IPAddressNotAllocated: IPAddress: 10.0.0.8 for Service /a appears to have leaked: cleaning up',
    ],
    [ours('10.0.0.5', 'a')],
  ],
  [
    'removes what the allocator keeps and somebody changed',
    [],
    [{ ...addressOf('10.0.0.6', 'a'), spec: { parentRef: { resource: 'pods', namespace: 'ns', name: 'p' } } }],
    [
      '10.0.0.6 IPAddressNotAllocated: IPAddress 10.0.0.6 appears to have been modified, not referencing a Service ' +
        '&ParentReference{Group:,Resource:pods,Namespace:ns,Name:p,}: cleaning up',
    ],
    [],
  ],
])('%s', async (...[, services, addresses, reported, left]) => {
  expect(await repaired(services, addresses)).toEqual({ reported, left, waiting: [] });
});

it('allows a service one minute to be written after its addresses were allocated', async () => {
  const young = [addressOf('10.0.0.6', 'new'), addressOf('10.0.0.7', 'a'), addressOf('10.0.0.5', 'a')];
  expect(await repaired([a], young, 20_000)).toMatchObject({
    reported: [],
    waiting: ['10.0.0.6 40000', '10.0.0.7 40000'],
  });
});

it.each<[string, StatusError, boolean]>([
  ['ignores that another server made it first', newAlreadyExists({ group: '', resource: 'ipaddresses' }, 'x'), true],
  ['fails if the API does not make it', newServiceUnavailable('not now'), false],
])('a missing address: %s', async (_, error, succeeds) => {
  const client = fakeClient();
  await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  await client.resource(SERVICES).create('ns', a);
  const addresses = client.resource<IPAddress>(IP_ADDRESSES);
  addresses.create = () => Promise.reject(error);
  const refusing = {
    resource: (gvr: typeof IP_ADDRESSES) => (gvr.resource === IP_ADDRESSES.resource ? addresses : client.resource(gvr)),
  };
  const clock = new ManualClock(10 * MINUTE);
  await using allocators = allocatorsOf(client, clock);
  const { services, serviceCIDRs } = allocators.informers;
  await Promise.all([services.synced(), serviceCIDRs.synced()]);
  const options = { allocators, client: refusing, clock, later: { add: () => {} } };
  const repair = new ServiceIPRepair({ ...options, events: eventsOf([]), logger: loggerOf([]) } as never);
  const outcome = repair.syncAll().catch((failure: unknown) => failure);
  expect(await outcome).toBe(succeeds ? undefined : error);
});

it('does not delete an address whose service this server has not yet seen', async () => {
  const client = fakeClient();
  await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  const [old, young] = [addressOf('10.0.0.5', 'a'), addressOf('10.0.0.5', 'b')];
  old.metadata.uid = 'old';
  young.metadata.uid = 'young';
  await client.resource(IP_ADDRESSES).create('', young);
  await client.resource(SERVICES).create('ns', serviceOf('b', { clusterIPs: ['10.0.0.5'] }));
  const clock = new ManualClock(10 * MINUTE);
  /** The informers of this server are behind the store. */
  const roundOver = async (services: Service[], addresses: IPAddress[]) => {
    await using allocators = allocatorsOf(client, clock);
    await allocators.informers.serviceCIDRs.synced();
    const seen = <T extends KubeObject>(objects: readonly T[]) => ({
      list: () => objects,
      get: (_namespace: string, name: string) => objects.find(({ metadata }) => metadata.name === name),
    });
    const informers = { ...allocators.informers, services: seen(services), ipAddresses: seen(addresses) };
    const options = { allocators: { ...allocators, informers }, client, clock, later: { add: () => {} } };
    const repair = new ServiceIPRepair({ ...options, events: eventsOf(reported), logger: loggerOf([]) } as never);
    await repair.syncAll();
    const stored = await client.resource<IPAddress>(IP_ADDRESSES).get('', '10.0.0.5');
    return [stored.metadata.uid, stored.spec.parentRef?.name];
  };
  const reported: string[] = [];
  // The old service is gone, and the new one is not yet in the informer.
  expect(await roundOver([a], [young])).toEqual(['young', 'b']);
  expect(await roundOver([a], [])).toEqual(['young', 'b']);
  expect(await roundOver([], [young])).toEqual(['young', 'b']);
  expect(reported).toEqual([]);
  // The old address is unused, and is deleted.
  expect(await roundOver([], [old])).toEqual(['young', 'b']);
});

it('tolerates concurrent repairs by several servers', async () => {
  const client = fakeClient();
  await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  const services = Array.from({ length: 10 }, (_, i) => serviceOf(`s${i}`, { clusterIPs: [`10.0.0.${i + 1}`] }));
  for (const service of services) await client.resource(SERVICES).create('ns', service);
  const clock = new ManualClock(0);
  const servers = [allocatorsOf(client, clock), allocatorsOf(client, clock), allocatorsOf(client, clock)];
  const repaired = servers.map(async (allocators) => {
    const { informers } = allocators;
    await Promise.all([informers.services.synced(), informers.ipAddresses.synced(), informers.serviceCIDRs.synced()]);
    const parts = { allocators, client, clock, later: { add: () => {} }, events: eventsOf([]), logger: loggerOf([]) };
    await new ServiceIPRepair(parts).syncAll();
    await allocators[Symbol.asyncDispose]();
  });
  await Promise.all(repaired);
  expect((await client.resource(IP_ADDRESSES).list('')).items.length).toBe(10);
});
