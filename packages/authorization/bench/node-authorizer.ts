// The cost of the Node authorizer with 100,000 pods: npx tsc -b packages/authorization && node
// packages/authorization/bench/node-authorizer.ts Prints milliseconds of CPU and microseconds per decision; compare
// figures of one run only.

import type { Pod } from '@apiserver/api/core/v1';
import type { AuthorizationAttributes, Logger } from '@apiserver/apiserver-contracts';
import { NodeGraph, nodeAuthorizer } from '@apiserver/authorization/node';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const PODS = 100_000;
const NODES = 1_000;
const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };

function pod(index: number): Pod {
  const name = `pod-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: `ns-${index % 500}`, name, uid: name },
    spec: {
      nodeName: `node-${index % NODES}`,
      serviceAccountName: 'default',
      containers: [],
      imagePullSecrets: [{ name: 'registry' }],
      volumes: [
        { name: 'own', secret: { secretName: `${name}-tls` } },
        { name: 'config', configMap: { name: `app-${index % 20}` } },
        { name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } },
      ],
    },
    status: {},
  };
}

function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const graph = new NodeGraph();
const heap = process.memoryUsage().heapUsed;
const pods = Array.from({ length: PODS }, (_, index) => pod(index));
const objects = process.memoryUsage().heapUsed;
const filled = cpu(() => {
  for (const one of pods) graph.setPod(one);
});
print(
  `fill with ${PODS} pods: ${filled.toFixed(0)} ms, ${((process.memoryUsage().heapUsed - objects) / 2 ** 20).toFixed(0)} MiB`,
);
print(`the pods themselves: ${((objects - heap) / 2 ** 20).toFixed(0)} MiB`);
const again = cpu(() => {
  for (const one of pods) graph.setPod(one);
});
print(`updates that change nothing: ${((again * 1_000) / PODS).toFixed(2)} µs each`);

const authorizer = nodeAuthorizer({ graph, logger, rulesAllow: () => false });
const nothing = { subresource: '', readOnly: true, isResourceRequest: true, apiVersion: 'v1', path: '' };
const user = { name: 'system:node:node-7', groups: ['system:nodes', 'system:authenticated'], extra: {} };
const questions: readonly (readonly [what: string, attributes: AuthorizationAttributes])[] = [
  [
    'own secret',
    { ...nothing, user, verb: 'get', apiGroup: '', resource: 'secrets', namespace: 'ns-7', name: 'pod-7-tls' },
  ],
  [
    'secret of another node',
    { ...nothing, user, verb: 'get', apiGroup: '', resource: 'secrets', namespace: 'ns-8', name: 'pod-8-tls' },
  ],
  [
    'secret of all nodes',
    { ...nothing, user, verb: 'get', apiGroup: '', resource: 'secrets', namespace: 'ns-7', name: 'registry' },
  ],
  ['own pod', { ...nothing, user, verb: 'get', apiGroup: '', resource: 'pods', namespace: 'ns-7', name: 'pod-7' }],
  [
    'lease',
    {
      ...nothing,
      user,
      verb: 'update',
      apiGroup: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'kube-node-lease',
      name: 'node-7',
    },
  ],
];
for (const [what, attributes] of questions) {
  const count = 1_000_000;
  let allowed = 0;
  const spent = cpu(() => {
    for (let i = 0; i < count; i++) {
      const result = authorizer.authorize(attributes);
      if (!(result instanceof Promise) && result.decision === 'Allow') allowed++;
    }
  });
  print(`${what}: ${((spent * 1_000) / count).toFixed(2)} µs, ${allowed > 0 ? 'allowed' : 'refused'}`);
}
