import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { inSlices } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { at, leaseCandidate as candidate, heldLease, NOW } from '../testing/election-fixtures.js';
import { readCandidate } from './candidates.js';
import { isLeaseExpired, nextStep } from './election.js';

async function stepOf(lease: Lease | undefined, ...candidates: readonly LeaseCandidate[]) {
  const step = await inSlices(nextStep(lease, candidates.map(readCandidate), NOW));
  return step.action === 'ping' ? { ping: step.candidates.map(({ name }) => name) } : step;
}

const elected = (electee: string | undefined, strategy = 'OldestEmulationVersion') => ({
  action: 'elect',
  strategy,
  electee,
});
const WAIT = { action: 'wait' };
const NONE = { action: 'none' };
const old = { emulationVersion: '1.35.0' };
const custom = { strategy: 'example.com/mine', emulationVersion: '' };

describe('without a holder', () => {
  it.each<[string, readonly LeaseCandidate[], object]>([
    ['nobody', [], NONE],
    ['expired candidates', [candidate('a', { renewTime: at(-1801) }), candidate('b', { renewTime: '' })], NONE],
    ['one candidate', [candidate('a')], elected('a')],
    ['the older emulation', [candidate('a'), candidate('b', old)], elected('b')],
    ['numbers, not texts', [candidate('a', { emulationVersion: '1.9.0' }), candidate('b')], elected('a')],
    ['the older binary', [candidate('a', { binaryVersion: '1.37.0' }), candidate('b')], elected('b')],
    ['the older candidate', [candidate('a', {}, 1), candidate('b')], elected('b')],
    ['the first name', [candidate('b'), candidate('a')], elected('a')],
    ['one with versions', [candidate('a', { emulationVersion: 'x' }), candidate('b')], elected('b')],
    [
      'none with versions',
      [candidate('a', { emulationVersion: 'x' })],
      { action: 'fail', reason: 'no candidate has valid versions', again: false },
    ],
    [
      'the strategy of the newest binary',
      [candidate('a'), candidate('b', { ...custom, binaryVersion: '1.37.0' })],
      elected(undefined, 'example.com/mine'),
    ],
    [
      'different strategies of one binary',
      [candidate('a'), candidate('b', custom)],
      {
        action: 'fail',
        reason:
          'candidates "a", "b" at same binary version but received differing strategies OldestEmulationVersion, example.com/mine',
        again: false,
      },
    ],
  ])('%s', async (_name, candidates, step) => {
    expect(await stepOf(undefined, ...candidates)).toEqual(step);
  });
});

describe('signs of life', () => {
  it.each<[string, readonly LeaseCandidate[], object]>([
    ['are asked of the silent ones', [candidate('a', { renewTime: at(-5) }), candidate('b')], { ping: ['a'] }],
    ['are asked again after an answer', [candidate('a', { pingTime: at(-60), renewTime: at(-59) })], { ping: ['a'] }],
    ['are waited for', [candidate('a', { pingTime: at(-4), renewTime: at(-60) }), candidate('b')], WAIT],
    [
      'are waited for no longer than five seconds',
      [candidate('a', { pingTime: at(-5), renewTime: at(-60) }), candidate('b')],
      elected('b'),
    ],
    [
      'count once they answer a ping',
      [candidate('a', { pingTime: at(-2), renewTime: at(-1) }), candidate('b')],
      elected('a'),
    ],
    [
      'that nobody gives leave the lease free',
      [candidate('a', { pingTime: at(-5), renewTime: at(-60) })],
      { action: 'fail', reason: 'no available candidates', again: false },
    ],
  ])('%s', async (_name, candidates, step) => {
    expect(await stepOf(undefined, ...candidates)).toEqual(step);
  });
});

describe('with a holder', () => {
  const [a, better] = [candidate('a'), candidate('b', old)];
  it.each<[string, Lease, readonly LeaseCandidate[], object]>([
    ['the best one stays', heldLease('b'), [a, better], WAIT],
    ['a better one is elected', heldLease('a'), [a, better], elected('b')],
    ['another strategy is left alone', heldLease('a'), [candidate('a', custom)], WAIT],
    [
      'a better one of another strategy is left alone',
      heldLease('a'),
      [candidate('a', { strategy: 'example.com/mine' }), candidate('b', { ...old, strategy: 'example.com/mine' })],
      WAIT,
    ],
    ['no candidate with versions is elected', heldLease('a'), [candidate('b', { emulationVersion: '' })], WAIT],
    [
      'different strategies are looked at again',
      heldLease('a'),
      [a, candidate('b', custom)],
      {
        action: 'fail',
        reason:
          'candidates "a", "b" at same binary version but received differing strategies OldestEmulationVersion, example.com/mine',
        again: true,
      },
    ],
    ['an expired lease is free', heldLease('a', { renewTime: at(-6) }), [candidate('b')], elected('b')],
    ['a lease without a holder is free', heldLease(''), [candidate('b')], elected('b')],
    [
      'candidates are asked before they expire',
      heldLease('a'),
      [a, candidate('b', { renewTime: at(-901) })],
      { ping: ['b'] },
    ],
  ])('%s', async (_name, lease, candidates, step) => {
    expect(await stepOf(lease, ...candidates)).toEqual(step);
  });
});

it('takes a lease without a required field for expired', () => {
  const { leaseDurationSeconds: _duration, ...spec } = heldLease('a').spec;
  const leases = [heldLease('a'), heldLease('a', { renewTime: at(-5) }), heldLease('a', { renewTime: at(-5.001) })];
  expect(
    [...leases, heldLease('a', { renewTime: '' }), { ...heldLease('a'), spec }].map((one) => isLeaseExpired(one, NOW)),
  ).toEqual([false, false, true, true, true]);
});

it('yields between candidates, because there may be many', () => {
  const candidates = Array.from({ length: 100 }, (_, i) => readCandidate(candidate(`c${i}`)));
  expect([...nextStep(undefined, candidates, NOW)].length).toBeGreaterThanOrEqual(400);
});
