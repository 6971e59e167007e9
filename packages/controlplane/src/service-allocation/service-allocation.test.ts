import type { Service, ServiceSpec } from '@apiserver/api/core/v1';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { parsePortRange } from '../node-port-allocator/port-range.js';
import { type IPRange, parseIPRange } from '../service-ip-allocator/ip-range.js';
import { createServiceAllocators } from './create-service-allocators.js';
import { ServiceAllocationRepair } from './repair-service-allocations.js';
import { serviceAllocationController } from './service-allocation-controller.js';

let logged: string[];
const logger: Logger = {
  info: () => {},
  warning: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  error: (error, message) => void logged.push(`${message}: ${error}`),
  v: () => undefined,
  named: () => logger,
};

beforeEach(() => {
  logged = [];
});

function service(name: string, spec: ServiceSpec): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'ns' },
    spec: { type: 'ClusterIP', ...spec },
    status: { loadBalancer: {} },
  };
}

let stored: Service[] = [];

function allocators() {
  const [v4, v6] = ['10.0.0.0/24', 'fd00::/112'].map(parseIPRange) as [IPRange, IPRange];
  return createServiceAllocators({
    ranges: [v4, v6],
    nodePorts: parsePortRange('30000-30099'),
    random: () => 0,
    listServices: async () => stored,
  });
}

const signal = new AbortController().signal;

describe('allocators', () => {
  it('know what stored services hold', async () => {
    stored = [
      service('a', { clusterIP: '10.0.0.17', clusterIPs: ['10.0.0.17', 'FD00::5'] }),
      service('b', { clusterIP: 'None', clusterIPs: ['None'] }),
      service('c', { type: 'ExternalName', clusterIPs: ['10.0.0.99'] }),
      service('d', {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.18',
        ports: [{ port: 1, nodePort: 30_016 }, { port: 2, nodePort: 30_016 }, { port: 3 }],
        healthCheckNodePort: 30_017,
      }),
    ];
    const made = allocators();
    await made.ready(signal);
    const [v4, v6] = ['IPv4', 'IPv6'].map((family) => made.clusterIPs.get(family as 'IPv4'));
    expect([[...(v4?.held() ?? [])], [...(v6?.held() ?? [])], [...made.nodePorts.held()]]).toEqual([
      [
        ['10.0.0.17', { namespace: 'ns', name: 'a' }],
        ['10.0.0.18', { namespace: 'ns', name: 'd' }],
      ],
      [['fd00::5', { namespace: 'ns', name: 'a' }]],
      [30_016, 30_017],
    ]);
    expect(made.primaryFamily).toBe('IPv4');
  });

  it('ask again when storage did not answer, and never once it did', async () => {
    let asked = 0;
    const made = createServiceAllocators({
      ranges: [parseIPRange('10.0.0.0/24') as IPRange],
      nodePorts: parsePortRange('30000-30099'),
      random: () => 0,
      async listServices() {
        if (++asked === 1) throw new Error('not now');
        return [];
      },
    });
    await expect(made.ready(signal)).rejects.toThrow('not now');
    await Promise.all([made.ready(signal), made.ready(signal)]);
    await made.ready(signal);
    expect(asked).toBe(2);
  });
});

describe('repair', () => {
  it('takes what is not taken and names what is wrong', async () => {
    stored = [];
    const made = allocators();
    await made.ready(signal);
    const repair = new ServiceAllocationRepair(made, logger);
    const services = [
      service('a', { clusterIPs: ['10.0.0.5'], type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }),
      service('b', { clusterIPs: ['10.0.0.5'], type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }),
      service('c', { clusterIPs: ['10.9.0.5'], type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] }),
    ];
    await repair.run(services);
    expect(logged).toEqual([
      'Cluster IP was not allocated; repaired {"service":"ns/a","address":"10.0.0.5"}',
      'Node port was not allocated; repaired {"service":"ns/a","port":30001}',
      'Cluster IP is assigned to several services; please recreate the service {"service":"ns/b","address":"10.0.0.5","otherService":"ns/a"}',
      'Node port is assigned to several services; please recreate the service {"service":"ns/b","port":30001,"otherService":"ns/a"}',
      'Cluster IP is not within any service CIDR; please recreate the service {"service":"ns/c","address":"10.9.0.5"}',
      'Node port is not within the port range; please recreate the service {"service":"ns/c","port":80,"portRange":"30000-30099"}',
    ]);
    expect([made.clusterIPs.get('IPv4')?.holderOf('10.0.0.5'), made.nodePorts.has(30_001)]).toEqual([
      { namespace: 'ns', name: 'a' },
      true,
    ]);
  });

  it('gives back what nobody has claimed for three rounds, and nothing that was claimed between', async () => {
    stored = [];
    const made = allocators();
    await made.ready(signal);
    const repair = new ServiceAllocationRepair(made, logger);
    made.clusterIPs.get('IPv4')?.hold('10.0.0.5', { namespace: 'ns', name: 'gone' });
    made.nodePorts.hold(30_001);
    const claiming = [service('a', { type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] })];
    await repair.run([]);
    await repair.run(claiming);
    await repair.run([]);
    expect([[...(made.clusterIPs.get('IPv4')?.held() ?? [])], [...made.nodePorts.held()]]).toEqual([[], [30_001]]);
    expect(logged).toEqual(['Released what no service has claimed {"held":"10.0.0.5"}']);
  });
});

describe('controller', () => {
  it('runs a round before it is done, and one every three minutes until it ends', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const rounds: string[] = [];
    stored = [];
    const made = allocators();
    const hook = serviceAllocationController({
      allocators: made,
      clock,
      logger,
      async listServices() {
        rounds.push('round');
        if (rounds.length === 2) throw new Error('not now');
        return [];
      },
    });
    await hook.run({ signal: stop.signal, loopbackClient: {} as LoopbackClient });
    const settled = () => new Promise((resolve) => setTimeout(resolve, 1));
    expect(rounds.length).toBe(1);
    for (const expected of [2, 3]) {
      clock.advance(180_000);
      await settled();
      expect(rounds.length).toBe(expected);
    }
    expect(logged).toEqual(['Unable to repair the allocations of services: Error: not now']);
    stop.abort();
    clock.advance(600_000);
    await settled();
    expect(rounds.length).toBe(3);
  });
});
