import type { CronJob, CronJobSpec } from '@apiserver/api/batch/v1';
import {
  appendAll,
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { byteLength, validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { validateJobSpecFields } from '../job/spec-validation.js';
import { scheduleFault } from './schedule.js';
import { validateTimeZone } from './time-zone.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const JOB_SPEC = SPEC.child('jobTemplate', 'spec');
/** The limit of a label, less the timestamp that jobs append. In bytes. */
const MAX_NAME_LENGTH = 52;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];
const NUMBERS = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const;

/** Upstream: ValidateCronJobCreate of pkg/apis/batch/validation/validation.go */
export function validateCronJob({ metadata, spec }: CronJob, features: PodFeatures): readonly FieldError[] {
  const { name = '' } = metadata;
  const errors = [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateSpec(spec, undefined, podTemplateRules(features)),
  ];
  if (byteLength(name) <= MAX_NAME_LENGTH) return errors;
  const message = `must be no more than ${MAX_NAME_LENGTH} characters`;
  return [...errors, fieldInvalid(METADATA.child('name'), name, message)];
}

/** Upstream: ValidateCronJobUpdate */
export function validateCronJobUpdate(
  { metadata, spec }: CronJob,
  old: CronJob,
  features: PodFeatures,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, old.spec, podTemplateRules(features, old.spec.jobTemplate.spec.template)),
  ];
}

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined, rules: PodSpecRules): FieldError[] {
  const { startingDeadlineSeconds = 0, timeZone, jobTemplate } = spec;
  const errors = validateSchedule(spec, old, SPEC.child('schedule'));
  errors.push(...validateNonnegative(startingDeadlineSeconds, SPEC.child('startingDeadlineSeconds')));
  if (timeZone !== undefined && timeZone !== old?.timeZone) {
    errors.push(...validateTimeZone(timeZone, SPEC.child('timeZone')));
  }
  errors.push(...validateRequiredEnum(spec.concurrencyPolicy, CONCURRENCY_POLICIES, SPEC.child('concurrencyPolicy')));
  appendAll(errors, validateJobSpecFields(jobTemplate.spec, rules, JOB_SPEC));
  const { selector, manualSelector } = jobTemplate.spec;
  if (selector !== undefined) {
    errors.push(fieldInvalid(JOB_SPEC.child('selector'), selector, '`selector` will be auto-generated'));
  }
  if (manualSelector) errors.push(fieldNotSupported(JOB_SPEC.child('manualSelector'), true, ['nil', 'false']));
  for (const field of NUMBERS) errors.push(...validateNonnegative(spec[field] ?? 0, SPEC.child(field)));
  return errors;
}

/** The time zone has its own field; a stored schedule that contains one stays valid. */
function validateSchedule({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined, path: FieldPath) {
  if (schedule === '') return [fieldRequired(path, '')];
  const fault = scheduleFault(schedule);
  const errors: FieldError[] = fault === undefined ? [] : [fieldInvalid(path, schedule, fault)];
  if (!schedule.includes('TZ')) return errors;
  if (!old?.schedule.includes('TZ')) {
    errors.push(fieldInvalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  } else if (timeZone !== undefined) {
    errors.push(fieldInvalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}
