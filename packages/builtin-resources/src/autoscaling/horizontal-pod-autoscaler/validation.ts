import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
} from '@apiserver/api/autoscaling/v2';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateBehavior } from './behavior-validation.js';
import { validateMetrics } from './metric-validation.js';
import { apiVersionFault, type ReferenceRules, validateReference } from './object-reference.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

/** Upstream: ValidateHorizontalPodAutoscaler of pkg/apis/autoscaling/validation/validation.go */
export function validateHorizontalPodAutoscaler(
  { metadata, spec }: HorizontalPodAutoscaler,
  scalesToZero: boolean,
): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: true }), ...validateSpec(spec, undefined, scalesToZero)];
}

/** Upstream: ValidateHorizontalPodAutoscalerUpdate */
export function validateHorizontalPodAutoscalerUpdate(
  { metadata, spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
  scalesToZero: boolean,
): readonly FieldError[] {
  return [...validateBuiltInObjectMetaUpdate(metadata, old.metadata), ...validateSpec(spec, old.spec, scalesToZero)];
}

/** Upstream: ValidateHorizontalPodAutoscalerStatusUpdate */
export function validateHorizontalPodAutoscalerStatusUpdate(
  { metadata, status }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateNonnegative(status.currentReplicas ?? 0, STATUS.child('currentReplicas')),
    ...validateNonnegative(status.desiredReplicas, STATUS.child('desiredReplicas')),
  ];
}

function validateSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  scalesToZero: boolean,
): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  const least = scalesToZero || old?.minReplicas === 0 ? 0 : 1;
  const maxPath = SPEC.child('maxReplicas');
  const isBelow = (bound: number | undefined, value: number) => bound !== undefined && value < bound;
  return [
    ...(isBelow(least, minReplicas ?? least)
      ? [fieldInvalid(SPEC.child('minReplicas'), minReplicas, `must be greater than or equal to ${least}`)]
      : []),
    ...(maxReplicas === 0 ? [fieldRequired(maxPath, 'must be set and greater than 0')] : []),
    ...(maxReplicas < 0 ? [fieldInvalid(maxPath, maxReplicas, 'must be greater than or equal to 1')] : []),
    ...(isBelow(minReplicas, maxReplicas)
      ? [fieldInvalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference(scaleTargetRef, targetRules(scaleTargetRef, old), SPEC.child('scaleTargetRef')),
    ...validateMetrics(metrics, { minReplicas, described: describedRules(old) }, SPEC.child('metrics')),
    ...(behavior === undefined ? [] : validateBehavior(behavior, SPEC.child('behavior'))),
  ];
}

/** Of the core group, only replication controllers scale. An unchanged reference is not judged again. */
function targetRules(
  { apiVersion = '', kind }: CrossVersionObjectReference,
  old: HorizontalPodAutoscalerSpec | undefined,
): ReferenceRules {
  const { scaleTargetRef: before } = old ?? {};
  return {
    allowEmptyGroup: kind === 'ReplicationController',
    allowInvalidVersion: before?.kind === kind && (before.apiVersion ?? '') === apiVersion,
  };
}

function describedRules(old: HorizontalPodAutoscalerSpec | undefined): ReferenceRules {
  const described = (old?.metrics ?? []).flatMap(({ type, object }) =>
    type !== 'Object' || object === undefined ? [] : [object.describedObject],
  );
  const rules = { allowEmptyGroup: true };
  return { ...rules, allowInvalidVersion: described.some((object) => apiVersionFault(object, rules) !== undefined) };
}
