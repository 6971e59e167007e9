import type { Job } from '@apiserver/api/batch/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldRequired,
  OMITTED_VALUE,
  validateNonnegative,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery';
import { validateIndexLists } from './index-lists-validation.js';

const STATUS = FieldPath.of('status');
const CONDITIONS = STATUS.child('conditions');
const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
/** Conditions that stay true once they are. */
const LASTING = ['Failed', 'Complete', 'FailureTarget'];
/** Pairs that exclude each other. */
const EXCLUDING = [
  ['Complete', 'Failed', 'cannot set Complete=True and Failed=true conditions'],
  ['Complete', 'FailureTarget', 'cannot set Complete=True and FailureTarget=true conditions'],
  ['SuccessCriteriaMet', 'Failed', 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
  ['SuccessCriteriaMet', 'FailureTarget', 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
] as const;
/** Conditions that follow upon others. */
const FOLLOWING = [
  ['Failed', 'FailureTarget', 'cannot set Failed=True condition without the FailureTarget=true condition'],
  [
    'Complete',
    'SuccessCriteriaMet',
    'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  ],
] as const;

/** Upstream: ValidateJobUpdateStatus of pkg/apis/batch/validation/validation.go */
export function validateJobStatusUpdate(job: Job, old: Job): readonly FieldError[] {
  const { status } = job;
  const errors = validateObjectMetaUpdate(job.metadata, old.metadata, FieldPath.of('metadata'));
  for (const field of COUNTS) errors.push(...validateNonnegative(status[field] ?? 0, STATUS.child(field)));
  return [
    ...errors,
    ...validateConditions(job, old),
    ...validateTimes(job, old),
    ...validateFinished(job),
    ...validateIndexLists(job, old),
    ...validateCounters(job, old),
  ];
}

function validateConditions(job: Job, old: Job): FieldError[] {
  const fault = (message: string) => fieldInvalid(CONDITIONS, OMITTED_VALUE, message);
  const isTrue = (type: string) => hasCondition(job, type);
  return [
    ...EXCLUDING.filter(([a, b]) => isTrue(a) && isTrue(b)).map(([, , message]) => fault(message)),
    ...FOLLOWING.filter(([a, b]) => isTrue(a) && !isTrue(b) && !hasCondition(old, a)).map(([, , m]) => fault(m)),
    ...LASTING.filter((type) => hasCondition(old, type) && !isTrue(type)).map((type) =>
      fault(`cannot disable the terminal ${type}=True condition`),
    ),
    ...(hasCondition(old, 'SuccessCriteriaMet') && !isTrue('SuccessCriteriaMet')
      ? [fault('cannot disable the SuccessCriteriaMet=True condition')]
      : []),
  ];
}

function validateTimes(job: Job, old: Job): FieldError[] {
  const { startTime, completionTime } = job.status;
  const complete = hasCondition(job, 'Complete');
  const path = STATUS.child('completionTime');
  const errors: FieldError[] = [];
  if (completionTime !== undefined && !complete) {
    const message = 'cannot set completionTime when there is no Complete=True condition';
    errors.push(fieldInvalid(path, completionTime, message));
  }
  if (completionTime === undefined && complete && !hasCondition(old, 'Complete')) {
    errors.push(fieldRequired(path, 'completionTime is required for Complete jobs'));
  }
  if (startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime)) {
    errors.push(fieldInvalid(path, completionTime, 'must be equal to or after `startTime`'));
  }
  if (completionTime !== undefined && old.status.completionTime !== undefined) {
    if (completionTime !== old.status.completionTime) {
      errors.push(fieldInvalid(path, completionTime, 'field is immutable'));
    }
  }
  const wasStarted = old.status.startTime !== undefined && old.status.startTime !== startTime;
  if (wasStarted && !job.spec.suspend) {
    errors.push(fieldRequired(STATUS.child('startTime'), 'startTime cannot be removed for unsuspended job'));
  }
  return errors;
}

/** Nothing runs for a job that has come to its end. */
function validateFinished(job: Job): FieldError[] {
  if (!hasCondition(job, 'Complete') && !hasCondition(job, 'Failed')) return [];
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods } = job.status;
  const uncounted = [...(uncountedTerminatedPods?.failed ?? []), ...(uncountedTerminatedPods?.succeeded ?? [])];
  const errors: FieldError[] = [];
  if (active > 0) errors.push(fieldInvalid(STATUS.child('active'), active, 'active>0 is invalid for finished job'));
  if (startTime === undefined) {
    errors.push(fieldRequired(STATUS.child('startTime'), 'startTime is required for finished job'));
  }
  if (uncounted.length > 0) {
    const path = STATUS.child('uncountedTerminatedPods');
    errors.push(fieldInvalid(path, uncountedTerminatedPods, 'must be empty for finished job'));
  }
  if (terminating > 0) {
    const message = 'terminating>0 is invalid for finished job';
    errors.push(fieldInvalid(STATUS.child('terminating'), terminating, message));
  }
  return errors;
}

function validateCounters({ status }: Job, { status: old }: Job): FieldError[] {
  const { ready = 0, active = 0, succeeded = 0, failed = 0 } = status;
  const errors: FieldError[] = [];
  if (ready > active) {
    errors.push(fieldInvalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active'));
  }
  if (failed < (old.failed ?? 0)) {
    errors.push(fieldInvalid(STATUS.child('failed'), failed, 'cannot decrease the failed counter'));
  }
  if (succeeded < (old.succeeded ?? 0)) {
    errors.push(fieldInvalid(STATUS.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  }
  return errors;
}

/** Whether a condition of a type is true. */
export function hasCondition({ status }: Job, type: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}
