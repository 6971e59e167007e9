import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger, throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { noWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { createInformer } from '@apiserver/registry-store';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, expect, it } from 'vitest';
import { at, heldLease, leaseCandidate, NOW } from '../testing/election-fixtures.js';
import { fakeClient } from '../testing/fake-client.js';
import { collectCandidates } from './collect-candidates.js';
import { LEASE_CANDIDATES } from './leader-election-controller.js';
import { runElections } from './run-elections.js';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
let running: AsyncDisposableStack | undefined;
afterEach(() => running?.disposeAsync());

/** Elections and the collector on a clock of their own, with the objects of a fake server. */
async function start({ logger = throwingLogger, collects = false } = {}) {
  const clock = new ManualClock(NOW);
  const stop = new AbortController();
  const client = fakeClient();
  const leaseClient = client.resource<Lease>(LEASES);
  const candidateClient = client.resource<LeaseCandidate>(LEASE_CANDIDATES);
  const common = { clock, logger, random: () => 0 };
  const stack = new AsyncDisposableStack();
  const leases = stack.use(createInformer({ ...common, client: leaseClient }));
  const candidates = stack.use(createInformer({ ...common, client: candidateClient }));
  const options = { leases, candidates, leaseClient, candidateClient, metrics: noWorkQueueMetrics, clock, logger };
  const ended = collects ? collectCandidates(options, stop.signal) : runElections(options, stop.signal);
  stack.defer(() => ended);
  stack.defer(() => stop.abort());
  running = stack;
  const put = async (object: LeaseCandidate) => {
    await candidateClient.create('ns', object);
    await eventLoopTurns();
  };
  const renew = async (name: string) => {
    const { spec, ...rest } = await candidateClient.get('ns', name);
    await candidateClient.update('ns', { ...rest, spec: { ...spec, renewTime: at((clock.now() - NOW) / 1000) } });
    await eventLoopTurns();
  };
  const advance = async (seconds: number) => {
    clock.advance(seconds * 1000);
    await eventLoopTurns();
  };
  await eventLoopTurns();
  return { clock, leaseClient, candidateClient, put, renew, advance };
}

it('elects the first candidate at once, and a better one when the holder lets its lease expire', async () => {
  const { leaseClient, put, advance, renew } = await start();
  await put(leaseCandidate('a'));
  const lease = () => leaseClient.get('ns', 'l').then(({ spec }) => spec);
  const held = { holderIdentity: 'a', strategy: 'OldestEmulationVersion', leaseDurationSeconds: 5, renewTime: at(0) };
  expect(await lease()).toEqual(held);
  await put(leaseCandidate('b', { emulationVersion: '1.35.0' }));
  expect(await lease()).toEqual({ ...held, preferredHolder: 'b' });
  await advance(6);
  await advance(1);
  await renew('b');
  await advance(4);
  expect(await lease()).toEqual({ ...held, holderIdentity: 'b', renewTime: at(11) });
});

it('asks whether candidates live when the holder is dead, and elects one that answers', async () => {
  const { leaseClient, candidateClient, put, advance, renew } = await start();
  await put(leaseCandidate('a'));
  await put(leaseCandidate('b', {}, 1));
  await advance(5);
  await advance(5);
  const pings = async () => (await candidateClient.list('ns')).items.map(({ object }) => object.spec.pingTime);
  expect(await pings()).toEqual([at(10), at(10)]);
  const holder = () => leaseClient.get('ns', 'l').then(({ spec }) => spec.holderIdentity);
  await advance(1);
  await renew('b');
  expect(await holder()).toBe('a');
  await advance(4);
  expect([await holder(), await pings()]).toEqual(['b', [at(10), at(10)]]);
});

it('elects again when a lease is deleted', async () => {
  const { leaseClient, put } = await start();
  await put(leaseCandidate('a'));
  await leaseClient.delete('ns', 'l');
  await eventLoopTurns();
  expect((await leaseClient.get('ns', 'l')).spec.holderIdentity).toBe('a');
});

it('leaves the holder of another strategy to its controller', async () => {
  const { leaseClient, put } = await start();
  await leaseClient.create('ns', heldLease('x', { renewTime: at(-60) }));
  await put(leaseCandidate('a', { strategy: 'example.com/mine' }));
  expect((await leaseClient.get('ns', 'l')).spec).toEqual({
    ...heldLease('x', { renewTime: at(-60) }).spec,
    strategy: 'example.com/mine',
  });
});

it('writes nothing for leases without candidates', async () => {
  const { leaseClient, put, advance, candidateClient } = await start();
  await leaseClient.create('ns', heldLease('x', { renewTime: at(-60) }));
  await put(leaseCandidate('a', { leaseName: 'another' }));
  await candidateClient.delete('ns', 'a');
  await leaseClient.delete('ns', 'another');
  await advance(5);
  expect((await leaseClient.list('ns')).items.map(({ object }) => object)).toEqual([
    heldLease('x', { renewTime: at(-60) }),
  ]);
});

it('follows a candidate to another lease', async () => {
  const { leaseClient, candidateClient, put } = await start();
  await put(leaseCandidate('a'));
  await candidateClient.update('ns', leaseCandidate('a', { leaseName: 'm' }));
  await eventLoopTurns();
  expect((await leaseClient.get('ns', 'm')).spec.holderIdentity).toBe('a');
  await leaseClient.delete('ns', 'l');
  await eventLoopTurns();
  expect((await leaseClient.list('ns')).items.map(({ object }) => object.metadata.name)).toEqual(['m']);
});

it('tries again after a failure, and says why nobody is elected', async () => {
  const { logger, lines } = createTestLogger();
  const { leaseClient, candidateClient, put, advance } = await start({ logger });
  leaseClient.create = () => Promise.reject(new Error('no storage'));
  await put(leaseCandidate('a'));
  await put(leaseCandidate('c', { leaseName: 'm', emulationVersion: 'x' }));
  const pings = async () => (await candidateClient.list('ns')).items.map(({ object }) => object.spec.pingTime);
  await advance(4);
  expect(await pings()).toEqual([undefined, undefined]);
  await advance(1);
  expect(await pings()).toEqual([at(5), undefined]);
  expect(lines.map(({ level, message }) => [level, message]).slice(0, 2)).toEqual([
    ['error', 'A step of an election failed'],
    ['warning', 'No leader can be elected'],
  ]);
});

it('deletes candidates without a sign of life for half an hour', async () => {
  const { candidateClient, advance, put } = await start({ collects: true });
  await put(leaseCandidate('dead'));
  await put(leaseCandidate('alive', { renewTime: at(1) }));
  const names = async () => (await candidateClient.list('ns')).items.map(({ object }) => object.metadata.name);
  await advance(1800);
  expect(await names()).toEqual(['dead', 'alive']);
  await advance(1800);
  expect(await names()).toEqual([]);
});
