import type { Lease } from '@apiserver/api/coordination/v1';
import { compareSemanticVersions, type SemanticVersion, timeMilliseconds } from '@apiserver/apimachinery/values';
import { OLDEST_EMULATION_VERSION } from '@apiserver/builtin-resources';
import { CANDIDATE_MS, type Candidate } from './candidates.js';

/** Time for which an election waits for responses to its pings, and for which a response is fresh. */
const ELECTION_MS = 5_000;

/** The next step of the election of one lease. */
export type Step =
  /** The lease has no candidate: nothing happens until one comes. */
  | { readonly action: 'none' }
  /** Looks again later. */
  | { readonly action: 'wait' }
  /** Asks these candidates whether they live. */
  | { readonly action: 'ping'; readonly candidates: readonly Candidate[] }
  /** Nobody can be elected, for the reason given. `again` is true if time may change that. */
  | { readonly action: 'fail'; readonly reason: string; readonly again: boolean }
  /** Gives the lease to the electee; undefined if another controller carries out the strategy. */
  | { readonly action: 'elect'; readonly strategy: string; readonly electee: string | undefined };

/**
 * Decides from the present lease and its candidates alone: nothing of an election is kept between steps. It yields
 * between candidates, because there may be many.
 * Upstream: reconcileElectionStep of pkg/controlplane/controller/leaderelection/leaderelection_controller.go
 */
export function* nextStep(
  lease: Lease | undefined,
  all: readonly Candidate[],
  now: number,
): Generator<void, Step, undefined> {
  const candidates: Candidate[] = [];
  for (const candidate of all) {
    yield;
    if (isWithin(candidate.renewed, CANDIDATE_MS, now)) candidates.push(candidate);
  }
  if (candidates.length === 0) return { action: 'none' };
  const settled = yield* settledStep(lease, candidates, now);
  if (settled !== undefined) return settled;
  const { asked, isWaiting } = yield* roundOfPings(candidates, now);
  if (asked.length > 0) return { action: 'ping', candidates: asked };
  if (isWaiting) return { action: 'wait' };
  return yield* vote(candidates, now);
}

/** The step without an election; undefined if one is needed. */
function* settledStep(lease: Lease | undefined, candidates: readonly Candidate[], now: number) {
  const holder = lease?.spec.holderIdentity;
  if (lease === undefined || isLeaseExpired(lease, now) || !holder) return undefined;
  // An election in between shows which candidates live, before they expire.
  const isOld = ({ renewed = 0 }: Candidate) => renewed + CANDIDATE_MS / 2 < now;
  if (candidates.some(isOld)) return undefined;
  const strategy = yield* pickStrategy(candidates);
  if (typeof strategy !== 'string') return { action: 'fail', ...strategy, again: true } as const;
  if (strategy !== OLDEST_EMULATION_VERSION) return { action: 'wait' } as const;
  const best = yield* pickOldestEmulationVersion(candidates);
  return best === undefined || best.name === holder ? ({ action: 'wait' } as const) : undefined;
}

/** The candidates to ping, and whether a candidate may still respond to an earlier ping. */
function* roundOfPings(candidates: readonly Candidate[], now: number) {
  const asked: Candidate[] = [];
  let isWaiting = false;
  for (const candidate of candidates) {
    yield;
    const { renewed, pinged, isAsked } = candidate;
    const isRecent = isWithinElection(pinged, now);
    if (isRecent && isAsked) isWaiting = true;
    else if (isWithinElection(renewed, now)) continue;
    // A candidate that did not respond gets no further ping.
    else if (pinged === undefined || (!isRecent && !isAsked)) asked.push(candidate);
  }
  return { asked, isWaiting };
}

/** Candidates that gave a sign of life in time take part. */
function* vote(all: readonly Candidate[], now: number): Generator<void, Step, undefined> {
  const candidates = all.filter(({ renewed }) => isWithinElection(renewed, now));
  if (candidates.length === 0) return { action: 'fail', reason: 'no available candidates', again: false };
  const strategy = yield* pickStrategy(candidates);
  if (typeof strategy !== 'string') return { action: 'fail', ...strategy, again: false };
  if (strategy !== OLDEST_EMULATION_VERSION) return { action: 'elect', strategy, electee: undefined };
  const electee = yield* pickOldestEmulationVersion(candidates);
  if (electee === undefined) return { action: 'fail', reason: 'no candidate has valid versions', again: false };
  return { action: 'elect', strategy, electee: electee.name };
}

const ZERO: SemanticVersion = { major: 0n, minor: 0n, patch: 0n, prerelease: '', build: '' };

/**
 * The strategy of the newest binary version, or the reason why there is none.
 * Upstream: pickBestStrategy of pkg/controlplane/controller/leaderelection/election.go
 */
function* pickStrategy(
  candidates: readonly Candidate[],
): Generator<void, string | { readonly reason: string }, undefined> {
  let newest: Candidate | undefined;
  for (const candidate of candidates) {
    yield;
    const order = newest === undefined ? -1 : compareSemanticVersions(newest.binary ?? ZERO, candidate.binary ?? ZERO);
    if (order === 0 && candidate.strategy !== newest?.strategy) {
      const names = `${JSON.stringify(newest?.name)}, ${JSON.stringify(candidate.name)}`;
      const strategies = `${newest?.strategy}, ${candidate.strategy}`;
      return { reason: `candidates ${names} at same binary version but received differing strategies ${strategies}` };
    }
    if (order < 0) newest = candidate;
  }
  return newest?.strategy ?? { reason: 'no candidates' };
}

/**
 * The candidate of the oldest emulation version, then of the oldest binary version, then the oldest one.
 * Upstream: pickBestLeaderOldestEmulationVersion
 */
function* pickOldestEmulationVersion(
  candidates: readonly Candidate[],
): Generator<void, Candidate | undefined, undefined> {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    yield;
    if (candidate.emulated === undefined || candidate.binary === undefined) continue;
    if (best === undefined || compareCandidates(candidate, best) < 0) best = candidate;
  }
  return best;
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    compareSemanticVersions(a.emulated ?? ZERO, b.emulated ?? ZERO) ||
    compareSemanticVersions(a.binary ?? ZERO, b.binary ?? ZERO) ||
    a.created - b.created ||
    // Upstream's choice is random.
    (a.name < b.name ? -1 : 1)
  );
}

/** A lease without a required field counts as expired. Upstream: isLeaseExpired */
export function isLeaseExpired({ spec: { renewTime, leaseDurationSeconds } }: Lease, now: number): boolean {
  if (!renewTime || leaseDurationSeconds === undefined || leaseDurationSeconds === null) return true;
  return timeMilliseconds(renewTime) + leaseDurationSeconds * 1000 < now;
}

function isWithin(time: number | undefined, milliseconds: number, now: number): boolean {
  return time !== undefined && time + milliseconds >= now;
}

function isWithinElection(time: number | undefined, now: number): boolean {
  return time !== undefined && time + ELECTION_MS > now;
}
