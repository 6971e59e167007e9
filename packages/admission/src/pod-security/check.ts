import type { CheckedPod } from './pod-containers.js';
import type { PodSecurityViolation } from './violation.js';

/** Finds what a check forbids in a pod. */
export type FindViolation = (pod: CheckedPod) => PodSecurityViolation | undefined;

/** A check as it is from one version on, until its next revision. */
export interface CheckRevision {
  /** The minor number of the version. */
  readonly since: number;
  readonly find: FindViolation;
}

/** One check with its history. */
export interface Check {
  /** By ascending `since`. */
  readonly revisions: readonly CheckRevision[];
  /** From this minor version on, level restricted has a stricter check in the place of this one. */
  readonly replacedSince?: number;
}

/** The revision that a version has; undefined if the check is newer. */
export function revisionAt({ revisions }: Check, minor: number): CheckRevision | undefined {
  // A loop: this runs for every check of every pod.
  for (let i = revisions.length - 1; i >= 0; i--) {
    const revision = revisions[i];
    if (revision !== undefined && revision.since <= minor) return revision;
  }
  return undefined;
}

/** Exempts pods of Windows, on which upstream refuses the checked fields anyway. */
export function exceptOnWindows(find: FindViolation): FindViolation {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : find(pod));
}

/** Exempts pods in a user namespace of their own: their root is no root of the host. */
export function exceptInUserNamespace(find: FindViolation): FindViolation {
  return (pod) => (pod.spec.hostUsers === false ? undefined : find(pod));
}
