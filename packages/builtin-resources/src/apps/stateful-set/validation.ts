import { type StatefulSet, StatefulSetSpec } from '@apiserver/api/apps/v1';
import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isDNS1123Label, nameIsDNSLabel, validateNonnegative } from '@apiserver/apimachinery/validation';
import { equalSemantically, validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import {
  STRICT_CLAIM_RULES,
  validatePersistentVolumeClaimSpec,
} from '../../core/persistent-volume-claim/claim-spec-validation.js';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validateEnum } from '../../validation/enum-field.js';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../../validation/int-or-percent.js';
import { validateEndlessTemplate, validateSelected } from '../../workload/template-validation.js';
import { SPEC, STATUS, TEMPLATE } from '../paths.js';
import { isZero } from '../rolling-update.js';
import { parsedSelector, validateCollisionGrowth, validateWorkloadSelector } from '../workload-template.js';
import { validateTemplate, validateTemplateMetadata } from './pod-template.js';

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;
const MESSAGE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const UPDATE_STRATEGY = SPEC.child('updateStrategy');
const RETENTION = SPEC.child('persistentVolumeClaimRetentionPolicy');
const ORDINALS_START = SPEC.child('ordinals', 'start');

/** Upstream: ValidateStatefulSet of pkg/apis/apps/validation/validation.go */
export function validateStatefulSet({ metadata, spec }: StatefulSet, features: PodFeatures): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: nameIsDNSLabel }),
    ...validateSpec(spec, {
      claims: validateClaimTemplates(spec.volumeClaimTemplates ?? []),
      serviceName: validateServiceName(spec.serviceName),
      template: validateTemplate(spec, podTemplateRules(features)),
    }),
  ];
}

/**
 * Some fields of the spec can change; existing faults of the others are tolerated. An old spec with any fault excuses
 * the faults of the template, except those of its metadata.
 * Upstream: ValidateStatefulSetUpdate
 */
export function validateStatefulSetUpdate(
  { metadata, spec }: StatefulSet,
  old: StatefulSet,
  features: PodFeatures,
): readonly FieldError[] {
  const rules = podTemplateRules(features, old.spec.template);
  const faultsOf = (judged: StatefulSet['spec'], template: readonly FieldError[]) =>
    validateSpec(judged, { claims: [], serviceName: [], template });
  const template = validateTemplate(spec, rules);
  // The old spec matters only if it could excuse a fault.
  const isExcused = template.length > 0 && faultsOf(old.spec, validateTemplate(old.spec, rules)).length > 0;
  const errors = [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...faultsOf(spec, isExcused ? validateTemplateMetadata(spec.template, rules) : template),
  ];
  if (!equalSemantically(fixedPart(spec), fixedPart(old.spec), StatefulSetSpec))
    errors.push(fieldForbidden(SPEC, MESSAGE));
  return errors;
}

function fixedPart(spec: StatefulSet['spec']): object {
  const names: readonly string[] = CHANGEABLE;
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !names.includes(field)));
}

const PODS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
const COUNTS = ['replicas', ...PODS, 'observedGeneration', 'collisionCount'] as const;

/** Upstream: ValidateStatefulSetStatusUpdate */
export function validateStatefulSetStatusUpdate(
  { metadata, status }: StatefulSet,
  old: StatefulSet,
): readonly FieldError[] {
  const { replicas, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors = COUNTS.flatMap((field) => validateNonnegative(status[field] ?? 0, STATUS.child(field)));
  const message = 'cannot be greater than status.replicas';
  for (const field of PODS) {
    const count = status[field] ?? 0;
    if (count > replicas) errors.push(fieldInvalid(STATUS.child(field), count, message));
  }
  if (availableReplicas > readyReplicas) {
    const path = STATUS.child('availableReplicas');
    errors.push(fieldInvalid(path, availableReplicas, 'cannot be greater than status.readyReplicas'));
  }
  return [
    ...errors,
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateCollisionGrowth(status.collisionCount, old.status.collisionCount),
  ];
}

/** The faults in which creation and update differ. */
interface Judged {
  readonly claims: readonly FieldError[];
  readonly serviceName: readonly FieldError[];
  readonly template: readonly FieldError[];
}

function validateSpec(spec: StatefulSet['spec'], judged: Judged): FieldError[] {
  const { replicas = 0, minReadySeconds = 0, ordinals, template } = spec;
  const selector = parsedSelector(spec.selector);
  const errors = [
    ...validateManagementPolicy(spec.podManagementPolicy),
    ...validateUpdateStrategy(spec.updateStrategy),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy),
    ...judged.claims,
    ...validateNonnegative(replicas, SPEC.child('replicas')),
    ...validateNonnegative(minReadySeconds, SPEC.child('minReadySeconds')),
    ...(ordinals === undefined ? [] : validateNonnegative(ordinals.start ?? 0, ORDINALS_START)),
    ...judged.serviceName,
    ...validateWorkloadSelector(spec.selector, 'statefulset'),
  ];
  if (selector === undefined) errors.push(fieldInvalid(SPEC.child('selector'), spec.selector, ''));
  return [
    ...errors,
    ...validateSelected(template, selector, TEMPLATE),
    ...judged.template,
    ...validateEndlessTemplate(template, 'StatefulSet', TEMPLATE),
  ];
}

/** Their names are not validated. Upstream: ValidateVolumeClaimTemplates */
function validateClaimTemplates(claims: readonly PersistentVolumeClaim[]): FieldError[] {
  const path = SPEC.child('volumeClaimTemplates');
  return claims.flatMap(({ spec }, i) =>
    validatePersistentVolumeClaimSpec(spec, STRICT_CLAIM_RULES, path.index(i).child('spec')),
  );
}

function validateServiceName(name = ''): FieldError[] {
  if (name === '') return [];
  return isDNS1123Label(name).map((fault) => fieldInvalid(SPEC.child('serviceName'), name, fault));
}

function validateManagementPolicy(policy = ''): FieldError[] {
  const path = SPEC.child('podManagementPolicy');
  if (policy === '') return [fieldRequired(path, '')];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [fieldInvalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

/** Formatted as upstream does: its internal type has no JSON names. */
function printedRollingUpdate(update: StatefulSet['spec']['updateStrategy']['rollingUpdate']): object | null {
  if (update === undefined) return null;
  return { Partition: update.partition ?? 0, MaxUnavailable: update.maxUnavailable ?? null };
}

function validateUpdateStrategy({ type = '', rollingUpdate }: StatefulSet['spec']['updateStrategy']): FieldError[] {
  const path = UPDATE_STRATEGY.child('rollingUpdate');
  if (type === '') return [fieldRequired(UPDATE_STRATEGY, '')];
  if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return [];
    const message = "only allowed for updateStrategy 'RollingUpdate'";
    return [fieldInvalid(path, printedRollingUpdate(rollingUpdate), message)];
  }
  if (type !== 'RollingUpdate') {
    return [
      fieldInvalid(
        UPDATE_STRATEGY,
        { Type: type, RollingUpdate: printedRollingUpdate(rollingUpdate) },
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    ];
  }
  if (rollingUpdate === undefined) return [];
  const errors = validateNonnegative(rollingUpdate.partition ?? 0, path.child('partition'));
  const { maxUnavailable } = rollingUpdate;
  if (maxUnavailable === undefined) return errors;
  const unavailablePath = path.child('maxUnavailable');
  errors.push(...validatePositiveIntOrPercent(maxUnavailable, unavailablePath));
  if (isZero(maxUnavailable)) errors.push(fieldInvalid(unavailablePath, maxUnavailable, 'cannot be 0'));
  return [...errors, ...validateNotMoreThan100Percent(maxUnavailable, unavailablePath)];
}

function validateRetention(policy: StatefulSet['spec']['persistentVolumeClaimRetentionPolicy']): FieldError[] {
  if (policy === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const).flatMap((field) =>
    validateEnum(policy[field] ?? '', ['Retain', 'Delete'], RETENTION.child(field)),
  );
}
