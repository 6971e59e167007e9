import type { Lease } from '@apiserver/api/coordination/v1';
import { whenAborted } from '@apiserver/apimachinery/clock';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import { at, NOW } from '../testing/election-fixtures.js';
import { fakeClient } from '../testing/fake-client.js';
import { LeaderLease } from './leader-lease.js';
import { runWhileLeading } from './run-while-leading.js';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const timers = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
type Lead = (signal: AbortSignal) => Promise<void>;

/** A process that competes for the lease; `work` has its terms, or does its work. */
function compete(identity: string, client: LoopbackClient, clock: ManualClock, work: string[] | Lead) {
  const stop = new AbortController();
  const { logger, lines } = createTestLogger();
  const onSlowRenewal = vi.fn();
  const leases = client.resource<Lease>(LEASES);
  const lease = new LeaderLease({
    client: leases,
    namespace: 'kube-system',
    name: 'l',
    identity,
    leaseDuration: timers.leaseDuration,
    onSlowRenewal,
    clock,
    logger,
  });
  const recorded = (log: string[]) => async (signal: AbortSignal) => {
    log.push(`${identity} leads`);
    await whenAborted(signal);
    log.push(`${identity} ends`);
  };
  const lead = Array.isArray(work) ? recorded(work) : work;
  const onChange = vi.fn();
  const ended = runWhileLeading({ lease, timers, lead, onChange, clock, random: () => 0, logger }, stop.signal);
  return { leases, stop, ended, lines, onChange, onSlowRenewal };
}

async function advance(clock: ManualClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1000);
    await eventLoopTurns();
  }
}

it('renews its lease every retry period, and releases it at the end', async () => {
  const [client, clock, log] = [fakeClient(), new ManualClock(NOW), []];
  const { leases, stop, ended, onChange, onSlowRenewal } = compete('a', client, clock, log);
  await eventLoopTurns();
  const spec = async () => (await leases.get('kube-system', 'l')).spec;
  const held = { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime: at(0), leaseTransitions: 0 };
  expect(await spec()).toEqual({ ...held, renewTime: at(0) });
  await advance(clock, 4);
  expect(await spec()).toEqual({ ...held, renewTime: at(4) });
  stop.abort();
  await ended;
  expect(await spec()).toEqual({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: at(4),
    renewTime: at(4),
    leaseTransitions: 0,
  });
  expect([log, onChange.mock.calls, onSlowRenewal.mock.calls]).toEqual([['a leads', 'a ends'], [[true], [false]], []]);
});

it('follows a leader that released its lease, or whose lease was not renewed', async () => {
  const [client, clock, log] = [fakeClient(), new ManualClock(NOW), [] as string[]];
  const a = compete('a', client, clock, log);
  await eventLoopTurns();
  const b = compete('b', client, clock, log);
  await advance(clock, 3);
  expect(log).toEqual(['a leads']);
  a.stop.abort();
  await a.ended;
  await advance(clock, 2);
  expect(log).toEqual(['a leads', 'a ends', 'b leads']);
  // The lease of a process that died.
  const { spec } = await b.leases.get('kube-system', 'l');
  b.stop.abort();
  await b.ended;
  const lease = await b.leases.get('kube-system', 'l');
  await b.leases.update('kube-system', { ...lease, spec });
  const c = compete('c', client, clock, log);
  await advance(clock, 14);
  expect(log.at(-1)).toBe('b ends');
  await advance(clock, 3);
  expect(log.at(-1)).toBe('c leads');
  expect((await b.leases.get('kube-system', 'l')).spec).toMatchObject({ holderIdentity: 'c', leaseTransitions: 2 });
  c.stop.abort();
  await c.ended;
});

it('stops to lead if it cannot renew its lease before the deadline, even if the server does not respond', async () => {
  const [client, clock, log] = [fakeClient(), new ManualClock(NOW), [] as string[]];
  const { leases, stop, ended, onChange, lines, onSlowRenewal } = compete('a', client, clock, log);
  await eventLoopTurns();
  const { update } = leases;
  leases.update = () => Promise.reject(new Error('no storage'));
  await advance(clock, 4);
  expect([log, onSlowRenewal.mock.calls.length]).toEqual([['a leads'], 2]);
  leases.update = () => new Promise(() => {});
  await advance(clock, 8);
  expect(log).toEqual(['a leads', 'a ends']);
  leases.update = update;
  await advance(clock, 30);
  expect(log).toEqual(['a leads', 'a ends', 'a leads']);
  expect(onChange.mock.calls).toEqual([[true], [false], [true]]);
  expect(lines.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
    'Failed to renew the lease of the leader',
  ]);
  stop.abort();
  await ended;
});

it('logs the failure of its work, unless it stops itself', async () => {
  const clock = new ManualClock(NOW);
  const leases = fakeClient().resource<Lease>(LEASES);
  const run = (lead: (signal: AbortSignal) => Promise<void>) => {
    const { logger, lines } = createTestLogger();
    const lease = new LeaderLease({
      client: leases,
      namespace: 'kube-system',
      name: 'l',
      identity: 'a',
      leaseDuration: timers.leaseDuration,
      clock,
      logger,
    });
    const stop = new AbortController();
    const options = { lease, timers, lead, onChange: () => {}, clock, random: () => 0, logger };
    return { stop, lines, ended: runWhileLeading(options, stop.signal) };
  };
  const failing = run(() => Promise.reject(new Error('no work')));
  await eventLoopTurns();
  failing.stop.abort();
  await failing.ended;
  const stopping = run(async (signal) => {
    await whenAborted(signal);
    throw new Error('stopped');
  });
  await eventLoopTurns();
  stopping.stop.abort();
  await stopping.ended;
  const acquired = { level: 'info', message: 'Acquired the lease of the leader', fields: {} };
  const message = 'The work of the leader ended';
  expect([failing.lines, stopping.lines]).toEqual([
    [acquired, { level: 'error', message, fields: {}, error: new Error('no work') }],
    [acquired],
  ]);
});

it('releases its lease when its work fails, and takes it again', async () => {
  const [client, clock] = [fakeClient(), new ManualClock(NOW)];
  const work: PromiseWithResolvers<void>[] = [];
  const lead = () => {
    const next = Promise.withResolvers<void>();
    work.push(next);
    return next.promise;
  };
  const a = compete('a', client, clock, lead);
  await eventLoopTurns();
  work[0]?.reject(new Error('broken'));
  await eventLoopTurns();
  const holder = async () => (await a.leases.get('kube-system', 'l')).spec.holderIdentity;
  expect([await holder(), a.lines.map(({ message }) => message)]).toEqual([
    '',
    ['Acquired the lease of the leader', 'The work of the leader ended'],
  ]);
  await advance(clock, 2);
  expect([await holder(), work.length]).toEqual(['a', 2]);
  work[1]?.resolve();
  a.stop.abort();
  await a.ended;
});
