import type { Service } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { updateNodePorts } from './node-port-allocation.js';

function service(...nodePorts: number[]): Service {
  const ports = nodePorts.map((nodePort, i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP', nodePort }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'NodePort', ports },
    status: { loadBalancer: {} },
  };
}

it('refuses a node port that an update names twice, without a reason', async () => {
  const nodePorts = {
    has: () => false,
    allocate: async () => {},
    allocateNext: async () => 1,
    release: async () => {},
  };
  const both = { service: service(31_000, 31_000), old: service(30_000) };
  await expect(updateNodePorts({ nodePorts }, both, { dryRun: false })).rejects.toMatchObject({
    status: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      message: 'duplicate nodePort: {TCP 31000}',
    },
  });
});
