import type { Deployment } from '@apiserver/api/apps/v1';
import { type FieldError, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { notSupported } from '../../validation/enum-field.js';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../validation/int-or-percent.js';
import { SPEC, STATUS } from '../paths.js';
import { isZero, printedRollingStrategy } from '../rolling-update.js';
import {
  validateCollisionGrowth,
  validateSelectorAndTemplate,
  validateWorkload,
  validateWorkloadUpdate,
} from '../workload-template.js';

const STRATEGY = SPEC.child('strategy');

/** Upstream: ValidateDeployment of pkg/apis/apps/validation/validation.go */
export function validateDeployment({ metadata, spec }: Deployment, features: PodFeatures): readonly FieldError[] {
  return validateWorkload(metadata, validateSpec(spec, podTemplateRules(features)));
}

/** Upstream: ValidateDeploymentUpdate, and the immutable selector of the strategy */
export function validateDeploymentUpdate(
  deployment: Deployment,
  old: Deployment,
  features: PodFeatures,
): readonly FieldError[] {
  const rules = podTemplateRules(features, old.spec.template);
  return validateWorkloadUpdate(deployment, old, validateSpec(deployment.spec, rules));
}

/** Upstream: ValidateDeploymentStatusUpdate */
export function validateDeploymentStatusUpdate(
  { metadata, status }: Deployment,
  old: Deployment,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateStatus(status),
    ...validateCollisionGrowth(status.collisionCount, old.status.collisionCount),
  ];
}

function validateSpec(spec: Deployment['spec'], rules: PodSpecRules): FieldError[] {
  const { minReadySeconds = 0, progressDeadlineSeconds: deadline, revisionHistoryLimit = 0, replicas = 0 } = spec;
  const errors = [
    ...validateNonnegative(replicas, SPEC.child('replicas')),
    ...validateSelectorAndTemplate(spec, rules),
    ...validateStrategy(spec.strategy),
    ...validateNonnegative(minReadySeconds, SPEC.child('minReadySeconds')),
    ...validateNonnegative(revisionHistoryLimit, SPEC.child('revisionHistoryLimit')),
  ];
  if (deadline === undefined) return errors;
  const path = SPEC.child('progressDeadlineSeconds');
  errors.push(...validateNonnegative(deadline, path));
  if (deadline <= minReadySeconds) errors.push(fieldInvalid(path, deadline, 'must be greater than minReadySeconds'));
  return errors;
}

function validateStrategy(strategy: Deployment['spec']['strategy']): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  const path = STRATEGY.child('rollingUpdate');
  if (type === 'Recreate') {
    const message = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [fieldForbidden(path, message)];
  }
  if (type !== 'RollingUpdate') {
    return [notSupported(STRATEGY, printedRollingStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  }
  if (rollingUpdate === undefined) return [];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailablePath = path.child('maxUnavailable');
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, unavailablePath),
    ...validatePositiveIntOrPercent(maxSurge, path.child('maxSurge')),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(fieldInvalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...validateNotMoreThan100Percent(maxUnavailable, unavailablePath)];
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
] as const;

function validateStatus(status: Deployment['status']): FieldError[] {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors = COUNTS.flatMap((field) => validateNonnegative(status[field] ?? 0, STATUS.child(field)));
  const message = 'cannot be greater than status.replicas';
  if (updatedReplicas > replicas) errors.push(fieldInvalid(STATUS.child('updatedReplicas'), updatedReplicas, message));
  if (readyReplicas > replicas) errors.push(fieldInvalid(STATUS.child('readyReplicas'), readyReplicas, message));
  const availablePath = STATUS.child('availableReplicas');
  if (availableReplicas > replicas) errors.push(fieldInvalid(availablePath, availableReplicas, message));
  if (availableReplicas > readyReplicas) {
    errors.push(fieldInvalid(availablePath, availableReplicas, 'cannot be greater than readyReplicas'));
  }
  return errors;
}
