import type { IPAddress } from '@apiserver/api/networking/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
import { serviceAllocationController } from './service-allocation-controller.js';

let client: LoopbackClient;
let clock: ManualClock;
let stop: AbortController;
let logged: string[];
let notes: string[];

beforeEach(() => {
  client = fakeClient();
  clock = new ManualClock(0);
  stop = new AbortController();
  logged = [];
  notes = [];
});

afterEach(() => stop.abort());

const addresses = async () => {
  const { items } = await client.resource<IPAddress>(IP_ADDRESSES).list('');
  return items.map(({ object: { metadata, spec } }) => `${metadata.name} ${spec.parentRef?.name}`);
};

function start() {
  const allocators = allocatorsOf(client, clock);
  const events = eventsOf(notes);
  const hook = serviceAllocationController({
    allocators,
    clock,
    ipEvents: events,
    portEvents: events,
    logger: loggerOf(logged),
  });
  return { allocators, done: hook.run({ signal: stop.signal, loopbackClient: client }) };
}

describe('the first round', () => {
  it('waits for the default ServiceCIDR, then repairs everything', async () => {
    await client.resource(SERVICES).create('ns', serviceOf('a', { clusterIPs: ['10.0.0.5'] }));
    const { allocators, done } = start();
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    await eventLoopTurns();
    expect([isDone, await addresses()]).toEqual([false, []]);
    await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
    await done;
    expect(await addresses()).toEqual(['10.0.0.5 a']);
    expect(await allocators.nodePorts.allocateNext()).toBe(30_016);
    expect(logged).toContain('Cluster IP [IPv4]: 10.0.0.5 is not allocated; repairing');
  });

  it('fails after one minute', async () => {
    const { done } = start();
    const failed = expect(done).rejects.toThrow('unable to perform initial IP and Port allocation check');
    await eventLoopTurns();
    clock.advance(60_001);
    await failed;
  });

  it('ends when the server stops', async () => {
    const { done } = start();
    await eventLoopTurns();
    stop.abort();
    await done;
    expect(logged).toEqual([]);
  });
});

it('logs failed rounds, and repeats them', async () => {
  await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  const services = client.resource(SERVICES);
  const { list } = services;
  const server = client;
  let failures = 2;
  const allocators = allocatorsOf(server, clock);
  // The repair of ports alone lists services by this client.
  const failing: LoopbackClient = {
    resource: (gvr) =>
      gvr.resource === 'services'
        ? (Object.assign(services, {
            list: (...given: Parameters<typeof list>) =>
              failures-- > 0 ? Promise.reject(new Error('no storage')) : list.apply(services, given),
          }) as never)
        : server.resource(gvr),
  };
  const events = eventsOf(notes);
  const hook = serviceAllocationController({
    allocators,
    clock,
    ipEvents: events,
    portEvents: events,
    logger: loggerOf(logged),
  });
  expect(hook.name).toBe('start-service-ip-repair-controllers');
  const done = hook.run({ signal: stop.signal, loopbackClient: failing });
  await eventLoopTurns();
  const failed = 'Unable to repair the allocations of services: Error: no storage';
  expect(logged).toEqual([failed]);
  clock.advance(1_000);
  await eventLoopTurns();
  expect(logged).toEqual([failed, failed]);
  clock.advance(1_000);
  await done;
  failures = 1;
  clock.advance(180_000);
  await eventLoopTurns();
  expect(logged.slice(2)).toEqual(['Unable to repair the allocations of node ports: Error: no storage']);
});

describe('afterwards', () => {
  beforeEach(() => client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/24')));

  it('services are checked when they change, addresses when they are due', async () => {
    await start().done;
    await client.resource(SERVICES).create('ns', serviceOf('a', { clusterIPs: ['10.0.0.5'] }));
    await client.resource(IP_ADDRESSES).create('', addressOf('10.0.0.9', 'never'));
    await eventLoopTurns();
    expect((await addresses()).sort()).toEqual(['10.0.0.5 a', '10.0.0.9 never']);
    clock.advance(60_001);
    await eventLoopTurns();
    expect(await addresses()).toEqual(['10.0.0.5 a']);
  });

  it('a port is kept if the watch has not yet reported its service', async () => {
    const { allocators, done } = start();
    await done;
    await allocators.nodePorts.allocate(30_001);
    await client.resource(SERVICES).create('ns', serviceOf('a', { ports: [{ port: 1, nodePort: 30_001 }] }));
    allocators.informers.services.list = () => [];
    for (let round = 1; round <= 4; round++) {
      clock.advance(180_000);
      await eventLoopTurns();
    }
    expect(allocators.nodePorts.has(30_001)).toBe(true);
  });

  it('everything is checked every three minutes', async () => {
    const { allocators } = start();
    await eventLoopTurns();
    await client.resource(SERVICES).create('ns', serviceOf('a', { clusterIPs: ['10.0.0.5'] }));
    await eventLoopTurns();
    await client.resource(IP_ADDRESSES).delete('', '10.0.0.5');
    await allocators.nodePorts.allocate(30_001);
    for (let round = 1; round <= 3; round++) {
      clock.advance(180_000);
      await eventLoopTurns();
    }
    expect([await addresses(), allocators.nodePorts.has(30_001)]).toEqual([['10.0.0.5 a'], false]);
  });
});

it('two servers of one store never allocate the same address', async () => {
  await client.resource(SERVICE_CIDRS).create('', serviceCIDROf('kubernetes', '10.0.0.0/26'));
  const servers = [allocatorsOf(client, clock), allocatorsOf(client, clock)];
  await Promise.all(servers.map((allocators) => allocators.ready(stop.signal)));
  const given = await Promise.all(
    Array.from({ length: 62 }, (_, i) =>
      servers[i % 2]?.clusterIPs.get('IPv4')?.allocateNext({ namespace: 'ns', name: `s${i}` }, { dryRun: false }),
    ),
  );
  expect(new Set(given).size).toBe(62);
  const another = servers[0]?.clusterIPs.get('IPv4')?.allocateNext({ namespace: 'ns', name: 'x' }, { dryRun: false });
  await expect(another).rejects.toThrow('range is full');
  await Promise.all(servers.map((allocators) => allocators[Symbol.asyncDispose]()));
});
