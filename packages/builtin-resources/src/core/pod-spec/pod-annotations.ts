import type { Pod, PodSpec, Toleration } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { decodeGo, type GoStruct, type GoType } from '../../text/decode-go.js';
import { validateTolerations } from '../validation/tolerations.js';
import { DELETION_COST, isDeletionCost } from './deletion-cost.js';
import type { PodSpecRules } from './pod-spec-rules.js';
import { APP_ARMOR_ANNOTATION_PREFIX, validateAppArmorAnnotations } from './security/app-armor-profile.js';
import { validateSeccompAnnotations } from './security/seccomp-profile.js';

/** Marks the mirror of a static pod of a kubelet. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

const TOLERATIONS_ANNOTATION = 'scheduler.alpha.kubernetes.io/tolerations';
const STRING: GoType = { name: 'string', scalar: 'string' };
const TOLERATION: GoStruct = {
  name: 'core.Toleration',
  fields: {
    key: STRING,
    operator: { name: 'core.TolerationOperator', scalar: 'string' },
    value: STRING,
    effect: { name: 'core.TaintEffect', scalar: 'string' },
    tolerationSeconds: { name: 'int64', scalar: 'int64' },
  },
  isUntagged: true,
};

/** Upstream: ValidatePodSpecificAnnotations of pkg/apis/core/validation/validation.go */
export function validatePodAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR_ANNOTATION];
  if (mirror !== undefined && !spec.nodeName) {
    const message = 'must set spec.nodeName if mirror pod annotation is set';
    errors.push(fieldInvalid(path.key(MIRROR_ANNOTATION), mirror, message));
  }
  const tolerations = annotations[TOLERATIONS_ANNOTATION];
  if (tolerations) errors.push(...validateAnnotatedTolerations(tolerations, rules, path));
  const cost = annotations[DELETION_COST];
  if (!rules.allowInvalidDeletionCost && cost !== undefined && !isDeletionCost(cost)) {
    errors.push(fieldInvalid(path.key(DELETION_COST), cost, 'must be a 32bit integer'));
  }
  return [
    ...errors,
    ...validateSeccompAnnotations(annotations, path),
    ...validateAppArmorAnnotations(annotations, spec, path),
  ];
}

/** The annotation once had what is in a field now. It has no effect. Upstream: ValidateTolerationsInPodAnnotations */
function validateAnnotatedTolerations(text: string, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const decoded = decodeGo<Toleration[]>(text, { name: '[]core.Toleration', items: TOLERATION });
  if ('fault' in decoded) return [fieldInvalid(path, TOLERATIONS_ANNOTATION, decoded.fault)];
  return validateTolerations(decoded.value ?? [], rules.allowTolerationComparisons, path.child(TOLERATIONS_ANNOTATION));
}

/** Annotations with an effect are immutable. Upstream: ValidatePodSpecificAnnotationUpdates */
export function validatePodAnnotationsUpdate(pod: Pod, old: Pod, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const annotations = pod.metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(before)) {
    if (annotations[key] !== value) errors.push(...forbidChange(key, 'remove or update', path));
  }
  for (const key of Object.keys(annotations)) {
    if (!Object.hasOwn(before, key)) errors.push(...forbidChange(key, 'add', path));
  }
  return [...errors, ...validatePodAnnotations(annotations, pod.spec, rules, path)];
}

function forbidChange(key: string, change: string, path: FieldPath): FieldError[] {
  if (key.startsWith(APP_ARMOR_ANNOTATION_PREFIX)) {
    return [fieldForbidden(path.key(key), `may not ${change} AppArmor annotations`)];
  }
  if (key !== MIRROR_ANNOTATION) return [];
  return [fieldForbidden(path.key(key), `may not ${change} mirror pod annotation`)];
}
