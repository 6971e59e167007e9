import type { JobSpec } from '@apiserver/api/batch/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { byteLength, validateDomainPrefixedPath, validateNonnegative } from '@apiserver/apimachinery/validation';
import type { PodSpecRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../../core/pod-spec/pod-template.js';
import { notSupported, validateEnum } from '../../validation/enum-field.js';
import { validatePodFailurePolicy } from './pod-failure-policy.js';
import { printedSuccessPolicy, validateSuccessPolicy } from './success-policy.js';

const MAX_INDEXED = 100_000;
const MAX_PARALLEL_OF_MANY = 10_000;
const MAX_MANAGED_BY = 63;
const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

/**
 * Validates the spec of a job without its selector.
 * Upstream: validateJobSpec of pkg/apis/batch/validation/validation.go
 */
export function validateJobSpecFields(spec: JobSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const errors = NUMBERS.flatMap((field) => validateNonnegative(spec[field] ?? 0, path.child(field)));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(fieldRequired(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
  return [
    ...errors,
    ...validateManagedBy(spec, path.child('managedBy')),
    ...validateCompletionMode(spec, path),
    ...validatePolicies(spec, path),
    ...validatePodTemplateSpec(spec.template, rules, path.child('template')),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ];
}

function validateManagedBy({ managedBy }: JobSpec, path: FieldPath): FieldError[] {
  if (managedBy === undefined) return [];
  const errors = validateDomainPrefixedPath(managedBy, path);
  return byteLength(managedBy) > MAX_MANAGED_BY ? [...errors, fieldTooLong(path, MAX_MANAGED_BY)] : errors;
}

function validateCompletionMode(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completionMode = 'NonIndexed', backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completionMode === 'Indexed') return validateIndexed(spec, path);
  if (completionMode !== 'NonIndexed') {
    return validateEnum(completionMode, ['NonIndexed', 'Indexed'], path.child('completionMode'));
  }
  const message = 'requires indexed completion mode';
  return [
    ...(backoffLimitPerIndex === undefined
      ? []
      : [fieldInvalid(path.child('backoffLimitPerIndex'), backoffLimitPerIndex, message)]),
    ...(maxFailedIndexes === undefined
      ? []
      : [fieldInvalid(path.child('maxFailedIndexes'), maxFailedIndexes, message)]),
  ];
}

function validateIndexed(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes: failed, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  const failedPath = path.child('maxFailedIndexes');
  if (completions === undefined) {
    errors.push(fieldRequired(path.child('completions'), 'when completion mode is Indexed'));
  }
  if (parallelism > MAX_INDEXED) {
    const message = `must be less than or equal to ${MAX_INDEXED} when completion mode is Indexed`;
    errors.push(fieldInvalid(path.child('parallelism'), parallelism, message));
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    errors.push(fieldInvalid(failedPath, failed, 'must be less than or equal to completions'));
  }
  if (failed !== undefined && failed > MAX_INDEXED) {
    errors.push(fieldInvalid(failedPath, failed, `must be less than or equal to ${MAX_INDEXED}`));
  }
  const areMany = completions !== undefined && completions > MAX_INDEXED && backoffLimitPerIndex !== undefined;
  return areMany ? [...errors, ...validateMany(spec, path)] : errors;
}

/** Validates a job of very many indexes with retries per index. */
function validateMany({ maxFailedIndexes, parallelism = 0 }: JobSpec, path: FieldPath): FieldError[] {
  const failedPath = path.child('maxFailedIndexes');
  const message = `must be less than or equal to ${MAX_PARALLEL_OF_MANY} when completions are above ${MAX_INDEXED} and used with backoff limit per index`;
  const errors: FieldError[] = [];
  if (maxFailedIndexes === undefined) {
    errors.push(fieldRequired(failedPath, `must be specified when completions is above ${MAX_INDEXED}`));
  }
  if (parallelism > MAX_PARALLEL_OF_MANY) {
    errors.push(fieldInvalid(path.child('parallelism'), parallelism, message));
  }
  if ((maxFailedIndexes ?? 0) > MAX_PARALLEL_OF_MANY) errors.push(fieldInvalid(failedPath, maxFailedIndexes, message));
  return errors;
}

function validatePolicies(spec: JobSpec, path: FieldPath): FieldError[] {
  const { podFailurePolicy, successPolicy, podReplacementPolicy: replacement, completionMode } = spec;
  const errors: FieldError[] = [];
  if (podFailurePolicy !== undefined) appendAll(errors, validatePodFailurePolicy(spec, path.child('podFailurePolicy')));
  if (successPolicy !== undefined) {
    const place = path.child('successPolicy');
    if (completionMode === 'Indexed') appendAll(errors, validateSuccessPolicy(spec, place));
    else errors.push(fieldInvalid(place, printedSuccessPolicy(successPolicy), 'requires indexed completion mode'));
  }
  if (replacement === undefined) return errors;
  const allowed = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return [...errors, ...validateEnum(replacement, allowed, path.child('podReplacementPolicy'))];
}

/** The default of pods is invalid for jobs, so the field is required. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: FieldPath): FieldError[] {
  const { restartPolicy = 'Always' } = template.spec;
  if (restartPolicy === 'Always') return [fieldRequired(path, 'valid values: "OnFailure", "Never"')];
  if (!['OnFailure', 'Never'].includes(restartPolicy)) {
    return [notSupported(path, restartPolicy, ['OnFailure', 'Never'])];
  }
  if (podFailurePolicy === undefined || restartPolicy === 'Never') return [];
  return [fieldInvalid(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}
