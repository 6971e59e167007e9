import type { Pod } from '@apiserver/api/core/v1';
import { expect, it, vi } from 'vitest';
import { testPluginDependencies } from '../../testing/index.js';
import { pod } from '../../testing/sample-objects.js';
import { checkExistingPods } from './existing-pods.js';

const BASELINE = { level: 'baseline', version: 'v1.30' } as const;
const PODS = { group: '', version: 'v1', resource: 'pods' };
const signal = new AbortController().signal;

const bad = (name: string, uid?: string): Pod =>
  pod(
    { hostPID: true },
    {
      name,
      ...(uid !== undefined && {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ReplicationController', name: uid, uid, controller: true }],
      }),
    },
  );

interface Time {
  readonly deadline?: number;
  /** Milliseconds that the evaluation of each pod takes. */
  readonly each?: number;
}

async function warnings(pods: readonly Pod[], { deadline, each = 0 }: Time = {}, isExempt = (_: Pod) => false) {
  let now = 0;
  const { client } = testPluginDependencies({ pods: [...pods] });
  const counted = (one: Pod) => {
    now += each;
    return isExempt(one);
  };
  const dependencies = { pods: client.resource<Pod>(PODS), isExempt: counted };
  if (each > 0) vi.spyOn(performance, 'now').mockImplementation(() => now);
  return checkExistingPods(dependencies, { signal, deadline }, 'ns', BASELINE).finally(() => vi.restoreAllMocks());
}

const HEAD = 'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:v1.30"';
const REASON = 'host namespaces';

it('names the first pod by name of those with the same violations', async () => {
  expect(await warnings([bad('c'), bad('b'), bad('a')])).toEqual([HEAD, `a (and 2 other pods): ${REASON}`]);
  expect(await warnings([bad('b'), bad('a')])).toEqual([HEAD, `a (and 1 other pod): ${REASON}`]);
  expect(await warnings([bad('b'), pod()])).toEqual([HEAD, `b: ${REASON}`]);
  expect(await warnings([pod()])).toEqual([]);
});

it('sorts the warnings, and leaves out exempt pods', async () => {
  const volume = pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }, { name: 'a' });
  const pods = [bad('z'), volume, bad('x')];
  expect(await warnings(pods)).toEqual([HEAD, 'a: hostPath volumes', `x (and 1 other pod): ${REASON}`]);
  expect(await warnings(pods, {}, ({ metadata }) => metadata.name === 'x')).toEqual([
    ...[HEAD, 'a: hostPath volumes', `z: ${REASON}`],
  ]);
});

it('checks 3,000 pods at most, one of each controller first', async () => {
  const replicas = Array.from({ length: 3100 }, (_, i) => pod({}, { ...bad(`r${i}`, 'rc').metadata }));
  expect(await warnings([...replicas, bad('z', 'other')])).toEqual([
    'new PodSecurity enforce level only checked against the first 3000 of 3101 existing pods',
    HEAD,
    `z: ${REASON}`,
  ]);
});

it.each<[string, Time]>([
  ['a second', {}],
  ['half of the time of the request', { deadline: 40 }],
])('ends after %s', async (_, time) => {
  const each = time.deadline === undefined ? 500 : 10;
  expect(await warnings([bad('a'), bad('b'), bad('c')], { ...time, each })).toEqual([
    'new PodSecurity enforce level only checked against the first 1 of 3 existing pods',
    HEAD,
    `a: ${REASON}`,
  ]);
});

it('lets other work run between its slices', async () => {
  const pods = Array.from({ length: 3000 }, (_, i) => bad(`p${i}`));
  let turns = 0;
  const immediate = () => {
    turns++;
    handle = setImmediate(immediate);
  };
  let handle = setImmediate(immediate);
  const slow = () => {
    const end = performance.now() + 0.02;
    while (performance.now() < end);
    return false;
  };
  await warnings(pods, {}, slow);
  clearImmediate(handle);
  expect(turns).toBeGreaterThan(0);
});

it('warns where the pods cannot be listed', async () => {
  const failing = {
    ...testPluginDependencies().client.resource<Pod>(PODS),
    list: () => Promise.reject(new Error('no')),
  };
  const dependencies = { pods: failing, isExempt: () => false };
  expect(await checkExistingPods(dependencies, { signal, deadline: undefined }, 'ns', BASELINE)).toEqual([
    'failed to list pods while checking new PodSecurity enforce level',
  ]);
});
