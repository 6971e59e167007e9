import type { PersistentVolumeClaimSpec, TypedObjectReference } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  isDNS1123Subdomain,
  nameIsDNSSubdomain,
  validateLabelSelector,
  validateNamespaceName,
} from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../validation/enum-field.js';
import { validateAccessModes } from '../validation/access-modes.js';
import { validateNamed } from '../validation/named-reference.js';
import { validatePositiveAmount } from '../validation/storage-amount.js';

/** Faults that a stored claim may keep. */
export interface ClaimSpecRules {
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly allowInvalidAPIGroupInDataSource: boolean;
}

/** For new claims. */
export const STRICT_CLAIM_RULES: ClaimSpecRules = {
  allowInvalidLabelValueInSelector: false,
  allowInvalidAPIGroupInDataSource: false,
};

/** The default is Filesystem. */
const VOLUME_MODES = ['Block', 'Filesystem'];

/**
 * Also validates claim templates.
 * Upstream: ValidatePersistentVolumeClaimSpec of pkg/apis/core/validation/validation.go
 */
export function validatePersistentVolumeClaimSpec(
  spec: PersistentVolumeClaimSpec,
  rules: ClaimSpecRules,
  path: FieldPath,
): FieldError[] {
  const { accessModes = [], selector, storageClassName, volumeMode, volumeAttributesClassName } = spec;
  const modesPath = path.child('accessModes');
  return [
    ...(accessModes.length > 0 ? [] : [fieldRequired(modesPath, 'at least 1 access mode is required')]),
    ...(selector === undefined
      ? []
      : validateLabelSelector(
          selector,
          { allowInvalidLabelValueInSelector: rules.allowInvalidLabelValueInSelector },
          path.child('selector'),
        )),
    ...validateAccessModes(accessModes, modesPath),
    ...validateStorageRequest(spec, path.child('resources').key('storage')),
    ...validateClassName(storageClassName, path.child('storageClassName')),
    ...(volumeMode === undefined ? [] : validateEnum(volumeMode, VOLUME_MODES, path.child('volumeMode'))),
    ...validateDataSources(spec, rules, path),
    ...validateClassName(volumeAttributesClassName, path.child('volumeAttributesClassName')),
  ];
}

function validateStorageRequest({ resources }: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  const storage = resources?.requests?.['storage'];
  return storage === undefined ? [fieldRequired(path, '')] : validatePositiveAmount(storage, path);
}

/** "" requests no class. */
function validateClassName(name: string | undefined, path: FieldPath): FieldError[] {
  return name ? validateNamed(name, path, nameIsDNSSubdomain) : [];
}

function validateDataSources(spec: PersistentVolumeClaimSpec, rules: ClaimSpecRules, path: FieldPath): FieldError[] {
  const { dataSource, dataSourceRef } = spec;
  const errors: FieldError[] = [];
  if (dataSource !== undefined) errors.push(...validateReference(dataSource, rules, path.child('dataSource')));
  if (dataSourceRef !== undefined) {
    const refPath = path.child('dataSourceRef');
    errors.push(...validateReference(dataSourceRef, rules, refPath));
    const { namespace } = dataSourceRef;
    if (namespace) errors.push(...validateNamed(namespace, refPath.child('namespace'), validateNamespaceName));
  }
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  // Upstream passes the path as the bad value, which prints as nothing.
  if (dataSourceRef.namespace) {
    errors.push(fieldInvalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!isSameReference(dataSource, dataSourceRef)) {
    errors.push(fieldInvalid(path, {}, 'must match dataSourceRef'));
  }
  return errors;
}

type Reference = Pick<TypedObjectReference, 'kind' | 'name'> & { readonly apiGroup?: string | null };

function validateReference({ apiGroup, kind, name }: Reference, rules: ClaimSpecRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(fieldRequired(path.child('name'), ''));
  if (!kind) errors.push(fieldRequired(path.child('kind'), ''));
  if (!apiGroup && kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(fieldInvalid(path, kind, detail));
  }
  if (!apiGroup || rules.allowInvalidAPIGroupInDataSource) return errors;
  const groupPath = path.child('apiGroup');
  return [...errors, ...isDNS1123Subdomain(apiGroup).map((fault) => fieldInvalid(groupPath, apiGroup, fault))];
}

function isSameReference(a: Reference, b: Reference): boolean {
  return (a.apiGroup ?? null) === (b.apiGroup ?? null) && a.kind === b.kind && a.name === b.name;
}
