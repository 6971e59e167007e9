import type { StorageClass } from '@apiserver/api/storage/v1';
import { type FieldError, FieldPath, fieldRequired, printedAsJson } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateEnum } from '../../validation/enum-field.js';
import { validateParameters, validateProvisioner } from '../class-parameters.js';
import { validateAllowedTopologies } from './allowed-topologies.js';

const PROVISIONER = FieldPath.of('provisioner');
const RECLAIM_POLICY = FieldPath.of('reclaimPolicy');
const VOLUME_BINDING_MODE = FieldPath.of('volumeBindingMode');

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const VOLUME_BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Upstream: ValidateStorageClass of pkg/apis/storage/validation/validation.go */
export function validateStorageClass(storageClass: StorageClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(storageClass.metadata, { namespaced: false }),
    ...validateProvisioner(storageClass.provisioner, PROVISIONER),
    ...validateParameters(storageClass.parameters ?? {}, true),
    ...validateReclaimPolicy(storageClass.reclaimPolicy ?? ''),
    ...validateVolumeBindingMode(storageClass.volumeBindingMode),
    ...validateAllowedTopologies(storageClass.allowedTopologies ?? [], FieldPath.of('allowedTopologies')),
  ];
}

/** Upstream: ValidateStorageClassUpdate */
export function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): readonly FieldError[] {
  const fixed = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;
  return [
    ...validateBuiltInObjectMetaUpdate(storageClass.metadata, old.metadata),
    ...fixed.flatMap((field) => {
      const value = storageClass[field] ?? null;
      return validateImmutableField(value, old[field] ?? null, FieldPath.of(field), printedAsJson(value));
    }),
  ];
}

function validateReclaimPolicy(policy: string): FieldError[] {
  return policy === '' ? [] : validateEnum(policy, RECLAIM_POLICIES, RECLAIM_POLICY);
}

function validateVolumeBindingMode(mode: string | undefined): FieldError[] {
  if (mode === undefined) return [fieldRequired(VOLUME_BINDING_MODE, '')];
  return validateEnum(mode, VOLUME_BINDING_MODES, VOLUME_BINDING_MODE);
}
