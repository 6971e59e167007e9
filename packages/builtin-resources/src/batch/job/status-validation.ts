import type { Job } from '@apiserver/api/batch/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  OMITTED_VALUE,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { FIELD_IMMUTABLE_MESSAGE, validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateIndexLists } from './index-lists-validation.js';
import { hasCondition, isFinished, type StatusChanges, statusChanges } from './status-changes.js';

const STATUS = FieldPath.of('status');
const CONDITIONS = STATUS.child('conditions');
const COMPLETION_TIME = STATUS.child('completionTime');
const START_TIME = STATUS.child('startTime');
const UNCOUNTED = STATUS.child('uncountedTerminatedPods');
const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
/** Conditions that must stay true. */
const LASTING = ['Failed', 'Complete', 'FailureTarget'];

/**
 * The order of the rules is upstream's.
 * Upstream: ValidateJobUpdateStatus of pkg/apis/batch/validation/validation.go
 */
export function validateJobStatusUpdate(job: Job, old: Job): readonly FieldError[] {
  const changes = statusChanges(job, old);
  return [
    ...validateBuiltInObjectMetaUpdate(job.metadata, old.metadata),
    ...validateCounts(job),
    ...validateUncounted(job),
    ...validateCompletion(job, changes),
    ...validateFinished(job, changes),
    ...validateIndexLists(job, changes),
    ...validateStillRunning(job, changes),
    ...validateSuccessCriteria(job),
    ...validateLasting(job, old),
    ...validateCounters(job, old),
    ...validateTimes(job, old, changes),
    ...validateLastingSuccess(job, old),
  ];
}

function validateCounts({ status }: Job): FieldError[] {
  return COUNTS.flatMap((field) => validateNonnegative(status[field] ?? 0, STATUS.child(field)));
}

/** A pod is counted once, as succeeded or as failed. */
function validateUncounted({ status }: Job): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const field of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of (status.uncountedTerminatedPods?.[field] ?? []).entries()) {
      const path = UNCOUNTED.child(field).index(i);
      if (uid === '') errors.push(fieldInvalid(path, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(fieldDuplicate(path, printedAsJson(uid)));
      else seen.add(uid);
    }
  }
  return errors;
}

function conditionFault(message: string): FieldError {
  return fieldInvalid(CONDITIONS, OMITTED_VALUE, message);
}

/** Validates the conditions of a job's end, together with its completion time. */
function validateCompletion(job: Job, changes: StatusChanges): FieldError[] {
  return [
    ...validateContradictions(job, changes),
    ...validateCompletionTime(job, changes),
    ...validateEarlierConditions(job, changes),
  ];
}

function validateContradictions(job: Job, changes: StatusChanges): FieldError[] {
  if (!hasCondition(job, 'Complete')) return [];
  const errors: FieldError[] = [];
  if ((changes.complete || changes.failed) && hasCondition(job, 'Failed')) {
    errors.push(conditionFault('cannot set Complete=True and Failed=true conditions'));
  }
  if ((changes.complete || changes.failureTarget) && hasCondition(job, 'FailureTarget')) {
    errors.push(conditionFault('cannot set Complete=True and FailureTarget=true conditions'));
  }
  return errors;
}

function validateCompletionTime(job: Job, changes: StatusChanges): FieldError[] {
  const { startTime, completionTime } = job.status;
  const isComplete = hasCondition(job, 'Complete');
  const errors: FieldError[] = [];
  if (changes.complete || changes.completionTime) {
    const message = 'cannot set completionTime when there is no Complete=True condition';
    if (completionTime && !isComplete) errors.push(fieldInvalid(COMPLETION_TIME, completionTime, message));
    if (!completionTime && isComplete) {
      errors.push(fieldRequired(COMPLETION_TIME, 'completionTime is required for Complete jobs'));
    }
  }
  const timesChange = changes.startTime || changes.completionTime;
  if (timesChange && startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    errors.push(fieldInvalid(COMPLETION_TIME, completionTime, 'must be equal to or after `startTime`'));
  }
  return errors;
}

/** A job announces its end by an earlier condition. */
function validateEarlierConditions(job: Job, changes: StatusChanges): FieldError[] {
  const has = (type: string) => hasCondition(job, type);
  const errors: FieldError[] = [];
  if ((changes.failed || changes.failedIndexes) && has('Failed') && !has('FailureTarget')) {
    errors.push(conditionFault('cannot set Failed=True condition without the FailureTarget=true condition'));
  }
  if ((changes.complete || changes.successCriteriaMet) && has('Complete') && !has('SuccessCriteriaMet')) {
    errors.push(conditionFault('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  }
  return errors;
}

/**
 * A finished job has a start time, no running pods, and has counted all its pods. A suspended job without completions
 * finishes before it starts.
 */
function validateFinished(job: Job, changes: StatusChanges): FieldError[] {
  if (!isFinished(job)) return [];
  const neverStarts = job.spec.suspend === true && job.spec.completions === 0;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = job.status;
  const errors: FieldError[] = [];
  if ((changes.finished || changes.active) && active > 0) {
    errors.push(fieldInvalid(STATUS.child('active'), active, 'active>0 is invalid for finished job'));
  }
  if ((changes.finished || changes.startTime) && !startTime && !neverStarts) {
    errors.push(fieldRequired(START_TIME, 'startTime is required for finished job'));
  }
  const waiting = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
  if ((changes.finished || changes.uncountedTerminatedPods) && waiting > 0) {
    errors.push(fieldInvalid(UNCOUNTED, printedUncounted(uncounted), 'must be empty for finished job'));
  }
  return errors;
}

/** Formatted as upstream does: its internal type has no JSON names. */
function printedUncounted({ succeeded, failed }: NonNullable<Job['status']['uncountedTerminatedPods']> = {}): object {
  return { Succeeded: succeeded ?? null, Failed: failed ?? null };
}

function validateStillRunning(job: Job, changes: StatusChanges): FieldError[] {
  const { terminating = 0, ready = 0, active = 0 } = job.status;
  const errors: FieldError[] = [];
  if ((changes.finished || changes.terminating) && terminating > 0 && isFinished(job)) {
    const message = 'terminating>0 is invalid for finished job';
    errors.push(fieldInvalid(STATUS.child('terminating'), terminating, message));
  }
  if ((changes.ready || changes.active) && ready > active) {
    errors.push(fieldInvalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active'));
  }
  return errors;
}

function validateSuccessCriteria(job: Job): FieldError[] {
  const met = hasCondition(job, 'SuccessCriteriaMet');
  const errors: FieldError[] = [];
  if (met && hasCondition(job, 'Failed')) {
    errors.push(conditionFault('cannot set SuccessCriteriaMet=True and Failed=true conditions'));
  }
  if (met && hasCondition(job, 'FailureTarget')) {
    errors.push(conditionFault('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  }
  if (!met && job.spec.successPolicy !== undefined && hasCondition(job, 'Complete')) {
    const message = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
    errors.push(conditionFault(message));
  }
  return errors;
}

function validateLasting(job: Job, old: Job): FieldError[] {
  return LASTING.filter((type) => hasCondition(old, type) && !hasCondition(job, type)).map((type) =>
    conditionFault(`cannot disable the terminal ${type}=True condition`),
  );
}

/** Counters must not decrease, except when an indexed job shrinks. */
function validateCounters({ spec, status }: Job, { status: old }: Job): FieldError[] {
  const { succeeded = 0, failed = 0 } = status;
  const errors: FieldError[] = [];
  if (failed < (old.failed ?? 0)) {
    errors.push(fieldInvalid(STATUS.child('failed'), failed, 'cannot decrease the failed counter'));
  }
  const shrinks = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!shrinks && succeeded < (old.succeeded ?? 0)) {
    errors.push(fieldInvalid(STATUS.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  }
  return errors;
}

function validateTimes({ spec, status }: Job, { status: old }: Job, { resumes }: StatusChanges): FieldError[] {
  const { startTime, completionTime } = status;
  const errors: FieldError[] = [];
  if (completionTime && old.completionTime && completionTime !== old.completionTime) {
    errors.push(fieldInvalid(COMPLETION_TIME, completionTime, FIELD_IMMUTABLE_MESSAGE));
  }
  if (old.startTime && old.startTime !== startTime && !spec.suspend && !resumes) {
    errors.push(fieldInvalid(START_TIME, startTime ?? null, 'field is immutable for unsuspended job once set'));
  }
  return errors;
}

function validateLastingSuccess(job: Job, old: Job): FieldError[] {
  const met = hasCondition(job, 'SuccessCriteriaMet');
  const wasMet = hasCondition(old, 'SuccessCriteriaMet');
  if (wasMet && !met) return [conditionFault('cannot disable the SuccessCriteriaMet=True condition')];
  if (wasMet || !met || !hasCondition(old, 'Complete')) return [];
  return [conditionFault('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')];
}
