import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { parseLenientSemanticVersion, type SemanticVersion, timeMilliseconds } from '@apiserver/apimachinery/values';

/** Without a sign of life for so long, a candidate does not count any more, and is deleted. */
export const CANDIDATE_MS = 30 * 60_000;

/** A LeaseCandidate, read once. Times are in milliseconds. */
export interface Candidate {
  readonly object: LeaseCandidate;
  readonly name: string;
  readonly created: number;
  readonly renewed: number | undefined;
  readonly pinged: number | undefined;
  /** The candidate has not renewed itself since its last ping. */
  readonly isAsked: boolean;
  readonly strategy: string;
  /** Undefined if it is not a version. */
  readonly binary: SemanticVersion | undefined;
  readonly emulated: SemanticVersion | undefined;
}

/** Reads what an election compares. */
export function readCandidate(object: LeaseCandidate): Candidate {
  const { metadata, spec } = object;
  const { renewTime, pingTime } = spec;
  return {
    object,
    name: metadata.name ?? '',
    created: millisecondsOf(metadata.creationTimestamp) ?? 0,
    renewed: millisecondsOf(renewTime),
    pinged: millisecondsOf(pingTime),
    // Texts, because they have microseconds.
    isAsked: !!pingTime && !!renewTime && renewTime < pingTime,
    strategy: spec.strategy ?? '',
    binary: versionOf(spec.binaryVersion),
    emulated: versionOf(spec.emulationVersion ?? ''),
  };
}

/** Upstream: isLeaseCandidateExpired of pkg/controlplane/controller/leaderelection/election.go */
export function isCandidateExpired({ spec: { renewTime } }: LeaseCandidate, now: number): boolean {
  const renewed = millisecondsOf(renewTime);
  return renewed === undefined || renewed + CANDIDATE_MS < now;
}

/** The key of a lease, or of the lease for which a candidate stands. */
export function leaseKey(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

/** The candidates of each lease, so that an election reads no others. */
export class CandidateIndex {
  readonly #byLease = new Map<string, Map<string, Candidate>>();

  /** Returns the key of the lease. */
  put(object: LeaseCandidate): string {
    const candidate = readCandidate(object);
    const key = leaseKey(object.metadata.namespace, object.spec.leaseName);
    const candidates = this.#byLease.get(key) ?? new Map<string, Candidate>();
    this.#byLease.set(key, candidates.set(candidate.name, candidate));
    return key;
  }

  /** Returns the key of the lease. */
  remove({ metadata, spec }: LeaseCandidate): string {
    const key = leaseKey(metadata.namespace, spec.leaseName);
    const candidates = this.#byLease.get(key);
    candidates?.delete(metadata.name ?? '');
    if (candidates?.size === 0) this.#byLease.delete(key);
    return key;
  }

  has(key: string): boolean {
    return this.#byLease.has(key);
  }

  of(key: string): readonly Candidate[] {
    return [...(this.#byLease.get(key)?.values() ?? [])];
  }
}

function millisecondsOf(time: string | null | undefined): number | undefined {
  return time ? timeMilliseconds(time) : undefined;
}

function versionOf(text: string): SemanticVersion | undefined {
  try {
    return parseLenientSemanticVersion(text.trim());
  } catch {
    return undefined;
  }
}
