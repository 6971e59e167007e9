import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

const server = assembledServer();
const PODS = paths.in('default', 'pods');

beforeAll(async () => {
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'default'));
});

describe('an eviction', () => {
  const evict = (name: string) => server.ask('POST', `${PODS}/${name}/eviction`, object('policy/v1', 'Eviction', name));
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

  it('is refused while a disruption budget allows none, and counts against it', async () => {
    const budgets = paths.inGroup('policy', 'default', 'poddisruptionbudgets');
    const selector = { matchLabels: { app: 'shop' } };
    const budget = object('policy/v1', 'PodDisruptionBudget', 'shop', { spec: { minAvailable: 1, selector } });
    const made = await server.make(budgets, budget);
    for (const name of ['a', 'b']) {
      await server.make(PODS, pod(name, { nodeName: 'n' }, { labels: { app: 'shop' } }));
      await server.make(`${PODS}/${name}/status`, { status: ready }, 'PATCH');
    }
    const { generation } = made.metadata;
    const counts = { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
    const status = { disruptionsAllowed: 1, observedGeneration: generation, ...counts };
    await server.make(`${budgets}/shop/status`, { status }, 'PATCH');
    const codes = [(await evict('a')).code, (await evict('b')).code];
    expect(codes).toEqual([201, 429]);
    const { body } = await server.ask('GET', `${budgets}/shop`);
    expect([body.status.disruptionsAllowed, Object.keys(body.status.disruptedPods)]).toEqual([0, ['a']]);
  });

  it('of a pod without a budget deletes it', async () => {
    await server.make(PODS, pod('alone'));
    expect((await evict('alone')).code).toBe(201);
    expect((await server.ask('GET', `${PODS}/alone`)).code).toBe(404);
  });
});

it('a pod is bound by both paths, and once', async () => {
  const target = { target: { kind: 'Node', name: 'n' } };
  await server.make(PODS, pod('new-way'));
  await server.make(PODS, pod('old-way'));
  const codes = [
    (await server.ask('POST', `${PODS}/new-way/binding`, core('Binding', 'new-way', target))).code,
    (await server.ask('POST', paths.in('default', 'bindings'), core('Binding', 'old-way', target))).code,
    (await server.ask('POST', paths.in('default', 'bindings'), core('Binding', 'old-way', target))).code,
  ];
  expect(codes).toEqual([201, 201, 409]);
  const { body } = await server.ask('GET', PODS);
  const nodeOf = (name: string) =>
    body.items.find((one: { metadata: { name: string } }) => one.metadata.name === name).spec.nodeName;
  expect(['new-way', 'old-way'].map(nodeOf)).toEqual(['n', 'n']);
});

it('no container is privileged unless the operator allows it', async () => {
  const containers = [{ name: 'c', image: 'i', securityContext: { privileged: true } }];
  expect(await server.ask('POST', PODS, pod('privileged', { containers }))).toMatchObject({
    code: 422,
    body: { message: expect.stringContaining('disallowed by cluster policy') },
  });
});

it('a pod has the priority of a class that there is', async () => {
  const unknown = await server.ask('POST', PODS, pod('unknown-class', { priorityClassName: 'none' }));
  const own = await server.ask('POST', PODS, pod('own-priority', { priority: 7 }));
  expect([unknown, own].map(({ code, body }) => [code, body.message])).toEqual([
    [403, expect.stringContaining('no PriorityClass with name none was found')],
    [403, expect.stringContaining('the integer value of priority (7) must not be provided in pod spec')],
  ]);
});

it('a pod runs by a runtime class that there is', async () => {
  const { code, body } = await server.ask('POST', PODS, pod('no-runtime', { runtimeClassName: 'none' }));
  expect([code, body.message]).toEqual([403, expect.stringContaining('RuntimeClass "none" not found')]);
});

it('a namespace enforces its level of pod security', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  await server.make(paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'baseline', labels } });
  const sent = pod('on-the-host', { hostNetwork: true, serviceAccountName: 'default' });
  await server.make(paths.in('baseline', 'serviceaccounts'), core('ServiceAccount', 'default'));
  const inBaseline = await server.ask('POST', paths.in('baseline', 'pods'), sent);
  expect([inBaseline.code, inBaseline.body.message]).toEqual([
    403,
    expect.stringContaining('violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'),
  ]);
  expect((await server.ask('POST', PODS, sent)).code).toBe(201);
});

it('a pod tolerates nodes that are not ready or unreachable for a time', async () => {
  const { body } = await server.ask('POST', `${PODS}?dryRun=All`, pod('tolerant'));
  const tolerated = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  expect(body.spec.tolerations).toEqual([
    tolerated('node.kubernetes.io/not-ready'),
    tolerated('node.kubernetes.io/unreachable'),
  ]);
});

it('a pod has the zone of its node', async () => {
  const labels = { 'topology.kubernetes.io/zone': 'z' };
  await server.make(paths.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'zoned', labels } });
  // The informer of nodes learns the node a moment later.
  await expect
    .poll(
      async () =>
        (await server.ask('POST', `${PODS}?dryRun=All`, pod('in-zone', { nodeName: 'zoned' }))).body.metadata.labels,
      { timeout: 30_000 },
    )
    .toEqual(labels);
});
