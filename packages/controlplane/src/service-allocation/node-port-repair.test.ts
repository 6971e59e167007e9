import type { RangeAllocation, Service } from '@apiserver/api/core/v1';
import { createFakeStorage } from '@apiserver/registry-store/testing';
import { beforeEach, expect, it } from 'vitest';
import { ServiceNodePortAllocator } from '../node-port-allocator/node-port-allocator.js';
import { noNodePortMetrics } from '../node-port-allocator/node-port-metrics.js';
import { parsePortRange } from '../node-port-allocator/port-range.js';
import { type PortRangeRegistry, storedPortRange } from '../node-port-allocator/stored-port-range.js';
import { eventsOf, loggerOf, serviceOf } from '../testing/service-fixtures.js';
import { NodePortRepair } from './node-port-repair.js';

let registry: PortRangeRegistry;
let services: Service[];
let reported: string[];
let logged: string[];

beforeEach(() => {
  registry = storedPortRange(createFakeStorage<RangeAllocation>());
  services = [];
  reported = [];
  logged = [];
});

function repairOf(ports = '30000-30099') {
  const range = parsePortRange(ports);
  const allocator = new ServiceNodePortAllocator({ range, registry, random: () => 0, metrics: noNodePortMetrics });
  const options = { allocator, registry, events: eventsOf(reported), logger: loggerOf(logged) };
  return { allocator, repair: new NodePortRepair({ ...options, listServices: async () => services }) };
}

const nodePort = (name: string, ...ports: [number, string][]) =>
  serviceOf(name, {
    type: 'NodePort',
    ports: ports.map(([port, protocol]) => ({ port: 1, protocol, nodePort: port })),
  });

it("writes the services' ports, and reports problems", async () => {
  services = [
    nodePort('a', [30_001, 'TCP'], [30_001, 'UDP']),
    nodePort('b', [30_001, 'TCP'], [80, 'TCP']),
    nodePort('c', [30_002, 'TCP'], [30_002, 'TCP']),
    serviceOf('d', { type: 'LoadBalancer', healthCheckNodePort: 30_003 }),
  ];
  const { allocator, repair } = repairOf();
  await repair.run();
  expect(reported).toEqual([
    'a PortNotAllocated: Port 30001 is not allocated; repairing',
    'b PortAlreadyAllocated: Port 30001 was assigned to multiple services; please recreate service',
    'b PortOutOfRange: Port 80 is not within the port range 30000-30099; please recreate service',
    'c PortNotAllocated: Port 30002 is not allocated; repairing',
    'c PortAlreadyAllocated: Port 30002 was assigned to multiple services; please recreate service',
    'd PortNotAllocated: Port 30003 is not allocated; repairing',
  ]);
  expect([30_000, 30_001, 30_002, 30_003].map((port) => allocator.has(port))).toEqual([false, true, true, true]);
  expect(await registry.read()).toMatchObject({ range: '30000-30099', data: 'Dg==' });
  services.splice(1, 2);
  reported.length = 0;
  await repair.run();
  expect(reported).toEqual([]);
});

it('releases ports that stay unclaimed for three rounds', async () => {
  const { allocator, repair } = repairOf();
  await repair.run();
  await allocator.allocate(30_001);
  await allocator.allocate(30_002);
  const taken: boolean[][] = [];
  for (let round = 1; round <= 4; round++) {
    services = round === 2 ? [nodePort('a', [30_002, 'TCP'])] : [];
    await repair.run();
    taken.push([allocator.has(30_001), allocator.has(30_002)]);
  }
  expect(taken).toEqual([
    [true, true],
    [true, true],
    [false, true],
    [false, true],
  ]);
  expect(logged).toEqual(['Node port appears to have leaked: cleaning up']);
});

it('changes to another range', async () => {
  services = [nodePort('a', [30_001, 'TCP'])];
  await repairOf().repair.run();
  const { allocator, repair } = repairOf('30000-30009');
  await expect(allocator.allocate(30_005)).rejects.toThrow('the provided range does not match the current range');
  reported.length = 0;
  await repair.run();
  await allocator.allocate(30_005);
  expect([reported, await registry.read()]).toMatchObject([[], { range: '30000-30009', data: 'Ig==' }]);
});

it('starts again after a concurrent write by another server', async () => {
  services = [nodePort('a', [30_001, 'TCP'])];
  const { repair } = repairOf();
  const { replace } = registry;
  let tries = 0;
  registry.replace = async (read, snapshot) => {
    if (++tries === 1) await replace(undefined, { range: '30000-30099', data: 'AQ==' });
    return replace(read, snapshot);
  };
  await repair.run();
  expect([tries, await registry.read()]).toMatchObject([2, { data: 'Aw==' }]);
});
