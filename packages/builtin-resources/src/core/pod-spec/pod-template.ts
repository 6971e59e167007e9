import type { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { validateAnnotations, validateLabels } from '@apiserver/apimachinery/validation';
import { validatePodAnnotations } from './pod-annotations.js';
import { validatePodSpec } from './pod-spec.js';
import type { PodSpecRules } from './pod-spec-rules.js';
import { validateAppArmorAnnotationsMatch } from './security/app-armor-profile.js';
import { seccompAnnotation, validateSeccompAnnotationMatches } from './security/seccomp-profile.js';
import { containersWithPath } from './visit-containers.js';

/** Upstream: ValidatePodTemplateSpec of pkg/apis/core/validation/validation.go */
export function validatePodTemplateSpec(template: PodTemplateSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const { spec } = template;
  const annotations = template.metadata?.annotations ?? {};
  const specPath = path.child('spec');
  const errors = [
    ...validatePodTemplateMetadata(template, rules, path),
    ...validatePodSpec(spec, rules, specPath),
    ...validateAnnotationsMatch(annotations, spec, specPath),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    const message = 'ephemeral containers not allowed in pod template';
    errors.push(fieldForbidden(specPath.child('ephemeralContainers'), message));
  }
  return errors;
}

/** Labels and annotations, with paths at the template itself, as upstream. */
export function validatePodTemplateMetadata(
  { metadata, spec }: PodTemplateSpec,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const annotationsPath = path.child('annotations');
  return [
    ...validateLabels(metadata?.labels, path.child('labels')),
    ...validateAnnotations(metadata?.annotations, annotationsPath),
    ...validatePodAnnotations(metadata?.annotations ?? {}, spec, rules, annotationsPath),
  ];
}

/** Profiles in both annotations and fields must be equal. */
export function validateAnnotationsMatch(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const ofPod = spec.securityContext?.seccompProfile;
  return [
    ...validateSeccompAnnotationMatches(
      annotations[seccompAnnotation()],
      ofPod,
      path.child('securityContext', 'seccompProfile'),
    ),
    ...[...containersWithPath(spec, path)].flatMap(([{ name, securityContext }, place]) =>
      validateSeccompAnnotationMatches(
        annotations[seccompAnnotation(name)],
        securityContext?.seccompProfile,
        place.child('securityContext', 'seccompProfile'),
      ),
    ),
    ...validateAppArmorAnnotationsMatch(annotations, spec, path),
  ];
}
