import type { SeccompProfile } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateEnum } from '../../../validation/enum-field.js';
import { validateLocalDescendingPath } from '../../validation/local-path.js';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_ANNOTATION_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
const LOCALHOST_PREFIX = 'localhost/';

/** Annotation values for RuntimeDefault. */
const RUNTIME_DEFAULTS = ['runtime/default', 'docker/default'];

/** The former annotation of a container's profile, or of the whole pod. */
export function seccompAnnotation(containerName?: string): string {
  return containerName === undefined ? POD_ANNOTATION : `${CONTAINER_ANNOTATION_PREFIX}${containerName}`;
}

/** Upstream: validateSeccompProfileField of pkg/apis/core/validation/validation.go */
export function validateSeccompProfile(profile: SeccompProfile | undefined, path: FieldPath): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const errors = type
    ? validateEnum(type, TYPES, path.child('type'))
    : [fieldRequired(path.child('type'), 'type is required when seccompProfile is set')];
  const profilePath = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (localhostProfile !== undefined) {
      return [...errors, ...validateLocalDescendingPath(localhostProfile, profilePath)];
    }
    return [...errors, fieldRequired(profilePath, 'must be set when seccomp type is Localhost')];
  }
  if (localhostProfile === undefined) return errors;
  const shown = { Type: type, LocalhostProfile: localhostProfile };
  return [...errors, fieldInvalid(profilePath, shown, 'can only be set when seccomp type is Localhost')];
}

/** Upstream: ValidateSeccompPodAnnotations */
export function validateSeccompAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  return Object.entries(annotations)
    .filter(([key]) => key === POD_ANNOTATION || key.startsWith(CONTAINER_ANNOTATION_PREFIX))
    .flatMap(([key, profile]) => validateAnnotatedProfile(profile, path.child(key)));
}

function validateAnnotatedProfile(profile: string, path: FieldPath): FieldError[] {
  if (RUNTIME_DEFAULTS.includes(profile) || profile === 'unconfined') return [];
  if (profile.startsWith(LOCALHOST_PREFIX)) {
    return validateLocalDescendingPath(profile.slice(LOCALHOST_PREFIX.length), path);
  }
  return [fieldInvalid(path, profile, 'must be a valid seccomp profile')];
}

/** An annotation must agree with the field. Upstream: validateSeccompAnnotationsAndFieldsMatch */
export function validateSeccompAnnotationMatches(
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
  path: FieldPath,
): FieldError[] {
  if (annotation === undefined || profile === undefined) return [];
  const otherType = [fieldForbidden(path.child('type'), 'seccomp type in annotation and field must match')];
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : otherType;
    case 'RuntimeDefault':
      return RUNTIME_DEFAULTS.includes(annotation) ? [] : otherType;
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST_PREFIX)) return otherType;
      if (annotation.slice(LOCALHOST_PREFIX.length) === profile.localhostProfile) return [];
      return [fieldForbidden(path.child('localhostProfile'), 'seccomp profile in annotation and field must match')];
    default:
      return [];
  }
}
