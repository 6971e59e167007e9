import { type Job, UncountedTerminatedPods } from '@apiserver/api/batch/v1';
import { equalSemantically } from '@apiserver/resource-kit';

/** Reports whether a condition of the type has the value, by default True. */
export function hasCondition({ status }: Job, type: string, value = 'True'): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === value);
}

/** A job is finished when it is complete or has failed. */
export function isFinished(job: Job): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
}

/** The parts of a job's status that an update changes. */
export interface StatusChanges {
  readonly finished: boolean;
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successCriteriaMet: boolean;
  readonly completedIndexes: boolean;
  readonly failedIndexes: boolean;
  readonly active: boolean;
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly startTime: boolean;
  readonly completionTime: boolean;
  readonly uncountedTerminatedPods: boolean;
  /** The job is no longer suspended, so its start time may change. */
  readonly resumes: boolean;
}

/**
 * Most rules apply only to changes: a status stored under older rules stays valid.
 * Upstream: getStatusValidationOptions of pkg/registry/batch/job/strategy.go
 */
export function statusChanges(job: Job, old: Job): StatusChanges {
  const { status } = job;
  const { status: before } = old;
  const condition = (type: string) => hasCondition(job, type) !== hasCondition(old, type);
  const count = (field: 'active' | 'ready' | 'terminating') => (status[field] ?? 0) !== (before[field] ?? 0);
  return {
    finished: isFinished(job) !== isFinished(old),
    complete: condition('Complete'),
    failed: condition('Failed'),
    failureTarget: condition('FailureTarget'),
    successCriteriaMet: condition('SuccessCriteriaMet'),
    completedIndexes: (status.completedIndexes ?? '') !== (before.completedIndexes ?? ''),
    failedIndexes: status.failedIndexes !== before.failedIndexes,
    active: count('active'),
    ready: count('ready'),
    terminating: count('terminating'),
    startTime: status.startTime !== before.startTime,
    completionTime: status.completionTime !== before.completionTime,
    uncountedTerminatedPods: !equalSemantically(
      status.uncountedTerminatedPods,
      before.uncountedTerminatedPods,
      UncountedTerminatedPods,
    ),
    resumes: hasCondition(old, 'Suspended') && hasCondition(job, 'Suspended', 'False'),
  };
}
