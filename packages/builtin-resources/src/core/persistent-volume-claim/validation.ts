import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import {
  isNativeResource,
  isQualifiedName,
  validateImmutableField,
  validateLabelSelector,
} from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { notSupported } from '../../validation/enum-field.js';
import { validateResourceQuantity } from '../validation/resource-quantity.js';
import { validateBasicAmount } from '../validation/storage-amount.js';
import { type ClaimSpecRules, STRICT_CLAIM_RULES, validatePersistentVolumeClaimSpec } from './claim-spec-validation.js';
import { validateSpecIsUnchanged } from './unchanged-spec.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

/** Upstream: ValidatePersistentVolumeClaim of pkg/apis/core/validation/validation.go */
export function validatePersistentVolumeClaim(
  claim: PersistentVolumeClaim,
  rules: ClaimSpecRules = STRICT_CLAIM_RULES,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(claim.metadata, { namespaced: true }),
    ...validatePersistentVolumeClaimSpec(claim.spec, rules, SPEC),
  ];
}

/** Reports each fault once since 1.35. Upstream: ValidatePersistentVolumeClaimUpdate, kubernetes/kubernetes#132549 */
export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(claim.metadata, old.metadata),
    ...validatePersistentVolumeClaim(claim, rulesFor(old)),
    ...validateSpecIsUnchanged(claim, old),
    ...validateRequestUpdate(claim, old),
    ...validateImmutableField(claim.spec.volumeMode, old.spec.volumeMode, FieldPath.of('volumeMode')),
    ...validateAttributesClassUpdate(claim, old),
  ];
}

/** Faults that the stored claim may keep. Upstream: ValidationOptionsForPersistentVolumeClaim */
function rulesFor({ spec: { selector, dataSource, dataSourceRef } }: PersistentVolumeClaim): ClaimSpecRules {
  const strict = { allowInvalidLabelValueInSelector: false };
  return {
    allowInvalidLabelValueInSelector:
      selector !== undefined && validateLabelSelector(selector, strict, FieldPath.none).length > 0,
    allowInvalidAPIGroupInDataSource: (dataSource?.apiGroup ?? dataSourceRef?.apiGroup ?? null) !== null,
  };
}

/** A request may shrink to the current capacity, which cancels a failed expansion. */
function validateRequestUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const storage = (list: Readonly<Record<string, string>> | undefined) => Quantity.parse(list?.['storage'] ?? '0');
  const size = storage(claim.spec.resources?.requests);
  if (size.compare(storage(old.spec.resources?.requests)) >= 0) return [];
  if (size.compare(storage(old.status.capacity)) > 0) return [];
  const path = SPEC.child('resources', 'requests', 'storage');
  return [fieldForbidden(path, 'field can not be less than status.capacity')];
}

/** An applied class can be replaced but not removed. */
function validateAttributesClassUpdate({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const { volumeAttributesClassName: name } = spec;
  if (name || name === old.spec.volumeAttributesClassName) return [];
  if (old.status.currentVolumeAttributesClassName === undefined) return [];
  const what = name === undefined ? 'nil' : 'empty string';
  const message = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [fieldForbidden(SPEC.child('volumeAttributesClassName'), message)];
}

/** Upstream: ValidatePersistentVolumeClaimStatusUpdate */
export function validatePersistentVolumeClaimStatusUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): readonly FieldError[] {
  const { metadata, spec, status } = claim;
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...(metadata.resourceVersion ? [] : [fieldRequired(FieldPath.of('resourceVersion'), '')]),
    ...((spec.accessModes ?? []).length > 0 ? [] : [fieldRequired(FieldPath.of('Spec', 'accessModes'), '')]),
    ...Object.entries(status.capacity ?? {}).flatMap(([name, amount]) =>
      validateBasicAmount(amount, STATUS.child('capacity').key(name)),
    ),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, state]) =>
      validateResizeStatus(name, state, STATUS.child('allocatedResourceStatuses')),
    ),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, amount]) =>
      validateAllocated(name, amount, STATUS.child('allocatedResources')),
    ),
  ];
}

function validateResizeStatus(name: string, state: string, path: FieldPath): FieldError[] {
  const errors = validateResourceKey(name, path);
  if (RESIZE_STATUSES.includes(state)) return errors;
  // The key instead of the value, as upstream.
  return [...errors, notSupported(path, name, RESIZE_STATUSES)];
}

function validateAllocated(name: string, amount: string, path: FieldPath): FieldError[] {
  const errors = validateResourceKey(name, path);
  if (errors.length > 0) return errors;
  const basic = validateBasicAmount(amount, path.key(name));
  return basic.length > 0 ? basic : validateResourceQuantity('storage', amount, path.key(name));
}

/** Upstream: validatePersistentVolumeClaimResourceKey */
function validateResourceKey(name: string, path: FieldPath): FieldError[] {
  const errors = isQualifiedName(name).map((fault) => fieldInvalid(path, name, fault));
  if (errors.length > 0 || !isNativeResource(name) || name === 'storage') return errors;
  return [fieldNotSupported(path, name, ['storage'])];
}
