import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

const MANIFESTS = `apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: default}
---
apiVersion: v1
kind: Node
metadata: {name: node, labels: {kubernetes.io/os: linux}}
status: {allocatable: {cpu: "1", memory: 1Gi}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: shop}}}
---
apiVersion: v1
kind: Pod
metadata: {name: shop, namespace: default, labels: {app: shop}}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: i, resources: {requests: {cpu: 10m}}}]
`;

/** The request of a scheduler. */
const BINDING = {
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'shop', annotations: { scheduled: 'yes' } },
  target: { kind: 'Node', name: 'node' },
};

describe.skipIf(missing !== undefined)(`kubectl drain${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;
  const POD = '/api/v1/namespaces/default/pods/shop';

  beforeAll(async () => {
    server = await startApiServer();
    kubectl = new Kubectl(server.kubeconfig);
    await kubectl.ok(['apply', '-f', '-'], MANIFESTS);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('binds a pod to a node', async () => {
    const response = await kubectl.ok(['create', '--raw', `${POD}/binding`, '-f', '-'], JSON.stringify(BINDING));
    expect(JSON.parse(response)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    const path = '{.spec.nodeName} {.metadata.annotations.scheduled} {.status.conditions[*].type}';
    expect(await kubectl.ok(['get', 'pod', 'shop', '-o', `jsonpath=${path}`])).toBe('node yes PodScheduled');
  });

  it('gives a pod more resources', async () => {
    const patch = '{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"20m"}}}]}}';
    await kubectl.ok(['patch', 'pod', 'shop', '--subresource=resize', '-p', patch]);
    const path = '{.spec.containers[0].resources.requests.cpu} {.metadata.generation}';
    expect(await kubectl.ok(['get', 'pod', 'shop', '-o', `jsonpath=${path}`])).toBe('20m 2');
  });

  it('holds a running pod by its budget, and lets it go when the budget does', async () => {
    const running = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}';
    await kubectl.ok(['patch', 'pod', 'shop', '--subresource=status', '-p', running]);
    const status = (disruptionsAllowed: number) =>
      JSON.stringify({ status: { observedGeneration: 1, disruptionsAllowed, desiredHealthy: 1, currentHealthy: 1 } });
    const setBudget = (allowed: number) =>
      kubectl.ok(['patch', 'pdb', 'budget', '--subresource=status', '--type=merge', '-p', status(allowed)]);
    await setBudget(0);
    const held = await kubectl.run(['drain', 'node', '--force', '--timeout=3s']);
    expect([held.code, held.stderr]).toEqual([
      1,
      expect.stringContaining("Cannot evict pod as it would violate the pod's disruption budget."),
    ]);
    await setBudget(1);
    const drained = await kubectl.ok(['drain', 'node', '--force', '--timeout=20s']);
    expect(drained).toContain('pod/shop evicted');
    const left = '{.status.disruptionsAllowed} {.status.conditions[0].reason}';
    expect(await kubectl.ok(['get', 'pdb', 'budget', '-o', `jsonpath=${left}`])).toBe('0 InsufficientPods');
  });
});
