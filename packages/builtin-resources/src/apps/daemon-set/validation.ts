import type { DaemonSet } from '@apiserver/api/apps/v1';
import { type FieldError, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateLabelSelector, validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../../core/pod-spec/pod-template.js';
import { notSupported } from '../../validation/enum-field.js';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../validation/int-or-percent.js';
import { validateEndlessTemplate, validateSelected } from '../../workload/template-validation.js';
import { SPEC, STATUS, TEMPLATE } from '../paths.js';
import { isZero, printedRollingStrategy } from '../rolling-update.js';
import {
  parsedSelector,
  rulesOfStoredSelector,
  validateCollisionGrowth,
  validateNotEmpty,
  validateWorkload,
  validateWorkloadUpdate,
} from '../workload-template.js';

const SELECTOR = SPEC.child('selector');
const UPDATE_STRATEGY = SPEC.child('updateStrategy');

/** Upstream: ValidateDaemonSet of pkg/apis/apps/validation/validation.go */
export function validateDaemonSet({ metadata, spec }: DaemonSet, features: PodFeatures): readonly FieldError[] {
  return validateWorkload(metadata, validateSpec(spec, podTemplateRules(features)));
}

/** Upstream: daemonSetStrategy.ValidateUpdate of pkg/registry/apps/daemonset/strategy.go, with kubernetes/kubernetes#132548 */
export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet, features: PodFeatures): readonly FieldError[] {
  return validateWorkloadUpdate(set, old, validateSpec(set.spec, rulesOfStoredSelector(features, old.spec)));
}

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

/** Upstream: ValidateDaemonSetStatusUpdate */
export function validateDaemonSetStatusUpdate({ metadata, status }: DaemonSet, old: DaemonSet): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...COUNTS.flatMap((field) => validateNonnegative(status[field] ?? 0, STATUS.child(field))),
    ...validateCollisionGrowth(status.collisionCount, old.status.collisionCount),
  ];
}

function validateSpec(spec: DaemonSet['spec'], rules: PodSpecRules): FieldError[] {
  const { revisionHistoryLimit = 0, minReadySeconds = 0 } = spec;
  return [
    ...validateSelector(spec, rules),
    ...validatePodTemplateSpec(spec.template, rules, TEMPLATE),
    ...validateEndlessTemplate(spec.template, 'DaemonSet', TEMPLATE),
    ...validateNonnegative(minReadySeconds, SPEC.child('minReadySeconds')),
    ...validateUpdateStrategy(spec.updateStrategy),
    ...validateNonnegative(revisionHistoryLimit, SPEC.child('revisionHistoryLimit')),
  ];
}

/** Unlike other workloads, the selector may be absent. It then selects nothing, so that no template matches it. */
function validateSelector({ selector, template }: DaemonSet['spec'], rules: PodSpecRules): FieldError[] {
  const { allowInvalidLabelValueInSelector } = rules;
  return [
    ...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, SELECTOR),
    ...validateSelected(template, parsedSelector(selector), TEMPLATE),
    ...validateNotEmpty(selector, 'daemonset'),
  ];
}

function validateUpdateStrategy(strategy: DaemonSet['spec']['updateStrategy']): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return [notSupported(UPDATE_STRATEGY, printedRollingStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  }
  const path = UPDATE_STRATEGY.child('rollingUpdate');
  if (rollingUpdate === undefined) return [fieldRequired(path, '')];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailablePath = path.child('maxUnavailable');
  const surgePath = path.child('maxSurge');
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, unavailablePath),
    ...validatePositiveIntOrPercent(maxSurge, surgePath),
    ...validateNotMoreThan100Percent(maxUnavailable, unavailablePath),
    ...validateNotMoreThan100Percent(maxSurge, surgePath),
  ];
  const [noneUnavailable, noSurge] = [isZero(maxUnavailable), isZero(maxSurge)];
  if (!noneUnavailable && !noSurge) {
    errors.push(fieldInvalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (noneUnavailable && noSurge) errors.push(fieldRequired(unavailablePath, 'cannot be 0 when maxSurge is 0'));
  return errors;
}
