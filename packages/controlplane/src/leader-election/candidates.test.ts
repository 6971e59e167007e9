import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger, silentLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { at, heldLease, leaseCandidate, NOW } from '../testing/election-fixtures.js';
import { fakeClient } from '../testing/fake-client.js';
import { CandidateIndex, isCandidateExpired, leaseKey, readCandidate } from './candidates.js';
import { collectCandidates } from './collect-candidates.js';
import { writeElected } from './elected-lease.js';

const CANDIDATES = { group: 'coordination.k8s.io', version: 'v1beta1', resource: 'leasecandidates' };
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

describe('a candidate', () => {
  it('is read with times in milliseconds', () => {
    const object = leaseCandidate('a', { pingTime: at(-5), renewTime: at(-3), emulationVersion: ' 1.35.0 ' }, -60);
    expect(readCandidate(object)).toMatchObject({
      object,
      name: 'a',
      created: NOW - 60_000,
      renewed: NOW - 3_000,
      pinged: NOW - 5_000,
      isAsked: false,
      strategy: 'OldestEmulationVersion',
      binary: { major: 1n, minor: 36n },
      emulated: { major: 1n, minor: 35n },
    });
  });

  it('may lack everything', () => {
    const { metadata, spec, ...object } = leaseCandidate('a', { binaryVersion: 'x' });
    const { emulationVersion: _, strategy: __, renewTime: ___, ...bare } = spec;
    expect(readCandidate({ ...object, metadata: {}, spec: { ...bare, strategy: '' } })).toMatchObject({
      name: '',
      created: 0,
      renewed: undefined,
      pinged: undefined,
      isAsked: false,
      strategy: '',
      binary: undefined,
      emulated: undefined,
    });
  });

  it.each([
    ['renewed before the ping', at(-6), at(-5), true],
    ['renewed with the ping', at(-5), at(-5), false],
    ['renewed a microsecond before it', '2029-12-31T23:59:55.000000Z', '2029-12-31T23:59:55.000001Z', true],
    ['never renewed', '', at(-5), false],
    ['never asked', at(-5), '', false],
  ])('is asked if it has not answered: %s', (_what, renewTime, pingTime, isAsked) => {
    expect(readCandidate(leaseCandidate('a', { renewTime, pingTime })).isAsked).toBe(isAsked);
  });

  it.each([
    [-1_800, false],
    [-1_801, true],
    [0, false],
  ])('is expired after half an hour: %d s', (seconds, expired) => {
    expect(isCandidateExpired(leaseCandidate('a', { renewTime: at(seconds) }), NOW)).toBe(expired);
  });

  it('without a renewal is expired', () => {
    expect(isCandidateExpired(leaseCandidate('a', { renewTime: '' }), NOW)).toBe(true);
  });
});

it('the candidates of a lease are found by its key', () => {
  const index = new CandidateIndex();
  const names = (key: string) => index.of(key).map(({ name }) => name);
  const other = leaseCandidate('c', { leaseName: 'm' });
  expect([leaseCandidate('a'), leaseCandidate('b'), other].map((object) => index.put(object))).toEqual([
    ...['ns/l', 'ns/l', 'ns/m'],
  ]);
  index.put(leaseCandidate('a', { strategy: 'new' }));
  expect([names('ns/l'), names('ns/m'), names('ns/n'), index.has('ns/n')]).toEqual([['a', 'b'], ['c'], [], false]);
  expect(index.of('ns/l')[0]?.strategy).toBe('new');
  expect([index.remove(leaseCandidate('a')), index.has('ns/l'), names('ns/l')]).toEqual(['ns/l', true, ['b']]);
  expect([index.remove(leaseCandidate('b')), index.has('ns/l')]).toEqual(['ns/l', false]);
  expect(index.remove(leaseCandidate('x', { leaseName: 'gone' }))).toBe('ns/gone');
  expect(leaseKey()).toBe('/');
});

/** A running collector of these candidates; `stored` are those that the server has. */
function collector(listed: LeaseCandidate[], stored: LeaseCandidate[], failure?: Error) {
  const clock = new ManualClock(NOW);
  const stop = new AbortController();
  const { logger, lines } = createTestLogger();
  const deleted: string[] = [];
  const done = collectCandidates(
    {
      clock,
      logger,
      candidates: {
        synced: async () => {},
        get: () => undefined,
        list: () => listed,
        subscribe: () => () => {},
        [Symbol.asyncDispose]: async () => {},
      },
      candidateClient: {
        get: async (_namespace, name) => {
          const found = stored.find(({ metadata }) => metadata.name === name);
          if (found === undefined) throw failure ?? (await fakeClient().resource(CANDIDATES).get('ns', name));
          return found;
        },
        delete: async (namespace, name) => void deleted.push(`${namespace}/${name}`),
      },
    },
    stop.signal,
  );
  return { clock, stop, lines, deleted, done };
}

describe('the collector', () => {
  const old = { renewTime: at(-1_801) };

  it('deletes expired candidates every half an hour, if the server agrees', async () => {
    const listed = [leaseCandidate('living'), leaseCandidate('old', old), leaseCandidate('renewed', old)];
    const stored = [leaseCandidate('living'), leaseCandidate('old', old), leaseCandidate('renewed')];
    const { clock, stop, lines, deleted, done } = collector(listed, [...stored]);
    await eventLoopTurns();
    expect(deleted.splice(0)).toEqual(['ns/old']);
    clock.advance(30 * 60_000 - 1);
    await eventLoopTurns();
    expect(deleted).toEqual([]);
    clock.advance(1);
    await eventLoopTurns();
    expect(deleted.splice(0)).toEqual(['ns/old']);
    clock.advance(1);
    clock.advance(30 * 60_000);
    await eventLoopTurns();
    expect(deleted.splice(0)).toEqual(['ns/living', 'ns/old', 'ns/renewed']);
    stop.abort();
    clock.advance(30 * 60_000);
    await done;
    expect([deleted, lines]).toEqual([[], []]);
  });

  it.each([
    ['a candidate that is gone', undefined, []],
    [
      'another failure',
      new Error('no storage'),
      [
        {
          level: 'error',
          message: 'Deleting an expired lease candidate failed',
          fields: { candidate: 'ns/old' },
          error: new Error('no storage'),
        },
      ],
    ],
  ])('goes on after %s', async (_what, failure, logged) => {
    const listed = [leaseCandidate('old', old), leaseCandidate('second', old)];
    const { stop, lines, deleted, done } = collector(listed, listed.slice(1), failure);
    await eventLoopTurns();
    expect([deleted, lines]).toEqual([['ns/second'], logged]);
    stop.abort();
    await done;
  });
});

describe('the result of an election', () => {
  const elected = { namespace: 'ns', name: 'l', strategy: 'S', electee: 'a' };

  async function written(present: ReturnType<typeof heldLease> | undefined, changes: Partial<typeof elected> = {}) {
    const leases = fakeClient().resource<ReturnType<typeof heldLease>>(LEASES);
    if (present !== undefined) await leases.create('ns', present);
    const { logger, lines } = createTestLogger();
    await writeElected(leases, { ...elected, ...changes }, { now: NOW, logger });
    const { spec, apiVersion, kind } = await leases.get('ns', 'l');
    return { spec, lines: lines.map(({ message, fields }) => [message, fields]), type: `${apiVersion} ${kind}` };
  }
  const fields = { lease: 'ns/l', holder: 'a' };

  it('makes a lease', async () => {
    expect(await written(undefined)).toEqual({
      spec: { holderIdentity: 'a', strategy: 'S', leaseDurationSeconds: 5, renewTime: at(0) },
      lines: [['Created the lease of an election', fields]],
      type: 'coordination.k8s.io/v1 Lease',
    });
  });

  it('names a living holder the one that is preferred', async () => {
    const present = heldLease('b');
    const { spec, lines } = await written(present);
    expect(spec).toEqual({ ...present.spec, strategy: 'S', preferredHolder: 'a' });
    expect(lines).toEqual([['Changed the lease of an election', fields]]);
  });

  it.each([
    ['expired', heldLease('b', { renewTime: at(-1_000), acquireTime: at(-2_000), preferredHolder: 'c' })],
    ['free', heldLease('', { acquireTime: at(-2_000) })],
  ])('takes over a lease that is %s', async (_what, present) => {
    const { preferredHolder: _, acquireTime: __, ...kept } = present.spec;
    const taken = { holderIdentity: 'a', strategy: 'S', leaseDurationSeconds: 5, renewTime: at(0) };
    expect((await written(present)).spec).toEqual({ ...kept, ...taken });
  });

  it('leaves a lease of the elected one alone, besides its strategy', async () => {
    const present = heldLease('a', { strategy: 'S' });
    expect(await written(present)).toMatchObject({ spec: present.spec, lines: [] });
    expect((await written(present, { strategy: 'T' })).spec).toEqual({ ...present.spec, strategy: 'T' });
  });

  it('is made by another controller if nobody is elected here', async () => {
    const leases = fakeClient().resource<ReturnType<typeof heldLease>>(LEASES);
    const unnamed = { ...elected, electee: undefined };
    await writeElected(leases, unnamed, { now: NOW, logger: silentLogger });
    const made = { strategy: 'S', leaseDurationSeconds: 5, renewTime: at(0) };
    expect((await leases.get('ns', 'l')).spec).toEqual(made);
    await writeElected(leases, { ...unnamed, strategy: 'T' }, { now: NOW + 9_000, logger: silentLogger });
    expect((await leases.get('ns', 'l')).spec).toEqual({ ...made, strategy: 'T' });
  });
});

it('fails if a lease cannot be created for another reason than that it is there', async () => {
  const leases = fakeClient().resource<Lease>(LEASES);
  await leases.create('ns', heldLease('a'));
  leases.create = () => Promise.reject(new Error('no storage'));
  const elected = { namespace: 'ns', name: 'l', strategy: 'S', electee: 'b' };
  const writing = writeElected(leases, elected, { now: NOW, logger: silentLogger });
  await expect(writing).rejects.toMatchObject({ message: 'no storage' });
  expect((await leases.get('ns', 'l')).spec).toEqual(heldLease('a').spec);
});
