import { type PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { STORAGE_CLASS_ANNOTATION } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { printableDifference } from '../../text/printable-difference.js';
import { equalResourceLists } from '../validation/resource-list.js';

const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/**
 * The spec of a claim is mostly immutable. A claim may be bound and get a missing storage class. When bound, it may
 * request more storage and other attributes.
 * Upstream: ValidatePersistentVolumeClaimUpdate of pkg/apis/core/validation/validation.go
 */
export function validateSpecIsUnchanged(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const after = cloneJson(claim.spec);
  const before = cloneJson(old.spec);
  if (!before.volumeName && after.volumeName) before.volumeName = after.volumeName;
  if (isUpgradeFromAnnotation(claim, old)) delete after.storageClassName;
  else {
    errors.push(...validateAnnotationUpdate(claim, old));
    if (isUpgradeFromNothing(claim, old)) delete after.storageClassName;
  }
  if (claim.status.phase === 'Bound') ignoreFieldsBoundClaimsMayChange(after, before);
  if (isSameSpec(after, before)) return errors;
  const difference = printableDifference(before, after, (spec) => goForm(PersistentVolumeClaimSpec, spec));
  return [...errors, fieldForbidden(FieldPath.of('spec'), `${IMMUTABLE}\n${difference}`)];
}

function ignoreFieldsBoundClaimsMayChange(after: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec): void {
  if (after.resources?.requests !== undefined) {
    after.resources.requests['storage'] = before.resources?.requests?.['storage'] ?? '0';
  }
  if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName;
  else after.volumeAttributesClassName = before.volumeAttributesClassName;
}

function classAnnotation({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[STORAGE_CLASS_ANNOTATION];
}

/** Upstream: validateStorageClassUpgradeFromAnnotation */
function isUpgradeFromAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const before = classAnnotation(old);
  if (before === undefined || old.spec.storageClassName !== undefined) return false;
  return claim.spec.storageClassName === before && (classAnnotation(claim) ?? before) === before;
}

/** Upstream: validateStorageClassUpgradeFromNil */
function isUpgradeFromNothing({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  if (spec.storageClassName === undefined || old.spec.storageClassName !== undefined) return false;
  return (classAnnotation(old) ?? spec.storageClassName) === spec.storageClassName;
}

/** Upstream: ValidateImmutableAnnotation */
function validateAnnotationUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const after = classAnnotation(claim) ?? '';
  if (after === (classAnnotation(old) ?? '')) return [];
  const path = FieldPath.of('metadata', 'annotations', STORAGE_CLASS_ANNOTATION);
  return [fieldInvalid(path, after, 'field is immutable')];
}

function isSameSpec(a: PersistentVolumeClaimSpec, b: PersistentVolumeClaimSpec): boolean {
  const { resources: resourcesA, ...restA } = a;
  const { resources: resourcesB, ...restB } = b;
  return (
    equalJson(restA, restB) &&
    equalResourceLists(resourcesA?.limits, resourcesB?.limits) &&
    equalResourceLists(resourcesA?.requests, resourcesB?.requests)
  );
}
