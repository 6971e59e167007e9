import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateContainerOfPod } from '../pod-spec/containers/container.js';
import { validatePodAnnotations } from '../pod-spec/pod-annotations.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { validatePodSpec } from '../pod-spec/pod-spec.js';
import { type PodSpecRules, podRules } from '../pod-spec/pod-spec-rules.js';
import { validateAnnotationsMatch } from '../pod-spec/pod-template.js';

export const METADATA = FieldPath.of('metadata');
export const SPEC = FieldPath.of('spec');

/** Upstream: ValidatePodCreate of pkg/apis/core/validation/validation.go */
export function validatePod(pod: Pod, features: PodFeatures): readonly FieldError[] {
  const { metadata, spec } = pod;
  const errors = validatePodMetadataAndSpec(pod, podRules(features));
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(fieldForbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if ((spec.schedulingGates ?? []).length > 0 && spec.nodeName) {
    const message = 'cannot be set until all schedulingGates have been cleared';
    errors.push(fieldForbidden(SPEC.child('nodeName'), message));
  }
  return [...errors, ...validateAnnotationsMatch(metadata.annotations ?? {}, spec, SPEC)];
}

/** Upstream: validatePodMetadataAndSpec */
export function validatePodMetadataAndSpec({ metadata, spec }: Pod, rules: PodSpecRules): FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validatePodAnnotations(metadata.annotations ?? {}, spec, rules, METADATA.child('annotations')),
    ...validatePodSpec(spec, { ...rules, podMeta: metadata }, SPEC),
    ...validateTokens(spec),
    ...(spec.containers ?? []).flatMap((container, i) =>
      validateContainerOfPod(container, SPEC.child('containers').index(i)),
    ),
    ...(spec.initContainers ?? []).flatMap((container, i) =>
      validateContainerOfPod(container, SPEC.child('initContainers').index(i)),
    ),
  ];
}

/** Validates that service account tokens belong to the pod's service account. */
function validateTokens({ serviceAccountName, volumes = [] }: PodSpec): FieldError[] {
  if (serviceAccountName) return [];
  return volumes.flatMap(({ projected }, i) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) => {
      if (serviceAccountToken === undefined) return [];
      const path = SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken');
      return [fieldForbidden(path, 'must not be specified when serviceAccountName is not set')];
    }),
  );
}
