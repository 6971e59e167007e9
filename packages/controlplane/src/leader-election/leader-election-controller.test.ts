import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { at, leaseCandidate, NOW } from '../testing/election-fixtures.js';
import { fakeClient } from '../testing/fake-client.js';
import { LEASE_CANDIDATES, leaderElectionController } from './leader-election-controller.js';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

function setUp() {
  const server = fakeClient();
  const leases = server.resource<Lease>(LEASES);
  const candidates = server.resource<LeaseCandidate>(LEASE_CANDIDATES);
  // The same client for all, whose verbs a test may replace.
  const client: LoopbackClient = {
    resource: ({ resource }) => (resource === 'leases' ? leases : candidates) as never,
  };
  const clock = new ManualClock(NOW);
  const metrics = new MetricsRegistry({ withProcess: false });
  const { logger, lines } = createTestLogger();
  const ready = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  const controller = leaderElectionController({
    hostname: 'here',
    newUid: () => 'uid-1',
    metrics,
    clock,
    random: () => 0,
    logger,
    timers: { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 },
    whenReady: () => ready.promise,
    firstUse: (resource) => {
      asked.push(resource);
      return undefined;
    },
  });
  const own = async () => (await leases.get('kube-system', 'leader-election-controller')).spec;
  const shown = async (name: string) => (await metrics.expose()).text.split('\n').filter((line) => line.includes(name));
  return { controller, client, clock, lines, ready, asked, leases, candidates, own, shown };
}

it('holds elections once the server is ready, and gives up its lease when it stops', async () => {
  const { controller, client, ready, asked, leases, candidates, own, shown, lines } = setUp();
  expect(controller.name).toBe('start-kube-apiserver-coordinated-leader-election-controller');
  expect(await shown('leader_election')).toEqual([
    '# HELP leader_election_master_status [ALPHA] 1 if this process holds the lease, else 0.',
    '# TYPE leader_election_master_status gauge',
    'leader_election_master_status{name="leader-election-controller"} 0',
  ]);
  await candidates.create('ns', leaseCandidate('a'));
  await candidates.create('ns', leaseCandidate('dead', { renewTime: at(-3_600) }));
  await controller.run({ loopbackClient: client, signal: new AbortController().signal });
  await eventLoopTurns();
  expect([asked, (await leases.list('')).items]).toEqual([[], []]);
  ready.resolve();
  await eventLoopTurns();
  expect(asked).toEqual([LEASES, LEASE_CANDIDATES]);
  expect(await own()).toMatchObject({ holderIdentity: 'here_uid-1', leaseDurationSeconds: 15 });
  expect(await shown('master_status{')).toEqual(['leader_election_master_status{name="leader-election-controller"} 1']);
  expect((await leases.get('ns', 'l')).spec.holderIdentity).toBe('a');
  expect((await candidates.list('ns')).items.map(({ object }) => object.metadata.name)).toEqual(['a']);
  await controller.stop();
  expect((await own()).holderIdentity).toBe('');
  expect(await shown('master_status{')).toEqual(['leader_election_master_status{name="leader-election-controller"} 0']);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(await shown('workqueue_adds_total{')).toEqual([
    expect.stringMatching(/^workqueue_adds_total\{name="leader-election-controller"\} [1-9]/),
  ]);
});

it('counts renewals that had to read the lease', async () => {
  const { controller, client, clock, ready, leases, shown } = setUp();
  ready.resolve();
  await controller.run({ loopbackClient: client, signal: new AbortController().signal });
  await eventLoopTurns();
  const { update } = leases;
  Object.assign(leases, { update: () => Promise.reject(new Error('no storage')) });
  clock.advance(2_000);
  await eventLoopTurns();
  Object.assign(leases, { update });
  expect(await shown('slowpath_total{')).toEqual([
    'leader_election_slowpath_total{name="leader-election-controller"} 1',
  ]);
  await controller.stop();
});

it.each(['stop', 'signal'] as const)('ends before the server is ready: %s', async (end) => {
  const { controller, client, leases } = setUp();
  const server = new AbortController();
  await controller.run({ loopbackClient: client, signal: server.signal });
  if (end === 'signal') server.abort();
  await controller.stop();
  expect((await leases.list('')).items).toEqual([]);
});
