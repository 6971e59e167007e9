import type { AppArmorProfile, PodSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { quote, trimSpace } from '@apiserver/apimachinery/text';
import { byteLength } from '@apiserver/apimachinery/validation';
import { allContainers } from '@apiserver/resource-kit/pods';
import { validateEnum } from '../../../validation/enum-field.js';
import { containersWithPath } from '../visit-containers.js';

/** The former annotation of a container's profile, followed by the container's name. */
export const APP_ARMOR_ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const LOCALHOST_PREFIX = 'localhost/';
/** Maximum length of a Linux path in bytes, without the terminating NUL. */
const MAX_PROFILE_BYTES = 4095;

/** Upstream: ValidateAppArmorProfileField of pkg/apis/core/validation/validation.go */
export function validateAppArmorProfile(profile: AppArmorProfile | undefined, path: FieldPath): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  if (!type) return [fieldRequired(path.child('type'), 'type is required when appArmorProfile is set')];
  const errors = validateEnum(type, TYPES, path.child('type'));
  if (errors.length > 0) return errors;
  const profilePath = path.child('localhostProfile');
  if (type === 'Localhost') return validateLocalhostProfile(localhostProfile, profilePath);
  if (localhostProfile === undefined) return [];
  return [fieldInvalid(profilePath, localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

function validateLocalhostProfile(profile: string | undefined, path: FieldPath): FieldError[] {
  if (!profile) return [fieldRequired(path, 'must be set when AppArmor type is Localhost')];
  const errors =
    profile === trimSpace(profile) ? [] : [fieldInvalid(path, profile, 'must not be padded with whitespace')];
  return byteLength(profile) > MAX_PROFILE_BYTES ? [...errors, fieldTooLong(path, MAX_PROFILE_BYTES)] : errors;
}

/** The field equivalent to an annotation; undefined for an invalid value. Upstream: ApparmorFieldForAnnotation */
export function appArmorProfileOfAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST_PREFIX)) return undefined;
  const localhostProfile = annotation.slice(LOCALHOST_PREFIX.length);
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}

/** Upstream: ValidateAppArmorPodAnnotations */
export function validateAppArmorAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set([...allContainers(spec)].map(({ name }) => name));
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(APP_ARMOR_ANNOTATION_PREFIX)) continue;
    const name = key.slice(APP_ARMOR_ANNOTATION_PREFIX.length);
    if (!names.has(name)) {
      errors.push(fieldInvalid(path.key(key), name, 'container not found'));
    }
    const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCALHOST_PREFIX);
    if (!isKnown) errors.push(fieldInvalid(path.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`));
  }
  return errors;
}

/** Upstream: validateAppArmorAnnotationsAndFieldsMatchOnCreate */
export function validateAppArmorAnnotationsMatch(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  if (spec.os?.name === 'windows') return [];
  return [...containersWithPath(spec, path)].flatMap(([container, place]) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = annotations[`${APP_ARMOR_ANNOTATION_PREFIX}${container.name}`];
    if (profile === undefined || annotation === undefined) return [];
    return validateMatch(annotation, profile, place.child('securityContext', 'appArmorProfile'));
  });
}

function validateMatch(annotation: string, profile: AppArmorProfile, path: FieldPath): FieldError[] {
  if (!TYPES.includes(profile.type)) return [];
  const typeOf = annotation.startsWith(LOCALHOST_PREFIX) ? 'Localhost' : appArmorProfileOfAnnotation(annotation)?.type;
  if (typeOf !== profile.type) {
    return [fieldForbidden(path.child('type'), 'apparmor type in annotation and field must match')];
  }
  if (typeOf !== 'Localhost' || annotation.slice(LOCALHOST_PREFIX.length) === profile.localhostProfile) return [];
  return [fieldForbidden(path.child('localhostProfile'), 'apparmor profile in annotation and field must match')];
}
