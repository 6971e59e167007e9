import type { StorageClass } from '@apiserver/api/storage/v1';
import {
  byteLength,
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  nameIsDNSSubdomain,
  printedAsJson,
  validateImmutableField,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';
import { validateBuiltInObjectMeta } from '../../validation/object-meta.js';
import { validateAllowedTopologies } from './allowed-topologies.js';

const MAX_PARAMETERS = 512;
/** Of all names and values together. */
const MAX_PARAMETER_BYTES = 256 * 1024;

const METADATA = FieldPath.of('metadata');
const PROVISIONER = FieldPath.of('provisioner');
const PARAMETERS = FieldPath.of('parameters');
const RECLAIM_POLICY = FieldPath.of('reclaimPolicy');
const VOLUME_BINDING_MODE = FieldPath.of('volumeBindingMode');

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const VOLUME_BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Upstream: ValidateStorageClass of pkg/apis/storage/validation/validation.go */
export function validateStorageClass(storageClass: StorageClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(storageClass.metadata, {
      namespaced: false,
      validateName: nameIsDNSSubdomain,
      path: METADATA,
    }),
    ...validateProvisioner(storageClass.provisioner),
    ...validateParameters(storageClass.parameters ?? {}),
    ...validateReclaimPolicy(storageClass.reclaimPolicy ?? ''),
    ...validateVolumeBindingMode(storageClass.volumeBindingMode),
    ...validateAllowedTopologies(storageClass.allowedTopologies ?? [], FieldPath.of('allowedTopologies')),
  ];
}

/** Upstream: ValidateStorageClassUpdate */
export function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): readonly FieldError[] {
  const fixed = ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'] as const;
  return [
    ...validateObjectMetaUpdate(storageClass.metadata, old.metadata, METADATA),
    ...fixed.flatMap((field) => {
      const value = storageClass[field] ?? null;
      return validateImmutableField(value, old[field] ?? null, FieldPath.of(field), printedAsJson(value));
    }),
  ];
}

function validateProvisioner(provisioner: string): FieldError[] {
  if (provisioner === '') return [fieldRequired(PROVISIONER, '')];
  return validateQualifiedName(provisioner.toLowerCase(), PROVISIONER);
}

function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [fieldTooLong(PARAMETERS, MAX_PARAMETERS)];
  const errors = entries
    .filter(([name]) => name === '')
    .map(([name]) => fieldInvalid(PARAMETERS, name, 'field can not be empty.'));
  const total = entries.reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  return total > MAX_PARAMETER_BYTES ? [...errors, fieldTooLong(PARAMETERS, MAX_PARAMETER_BYTES)] : errors;
}

function validateReclaimPolicy(policy: string): FieldError[] {
  if (policy === '' || RECLAIM_POLICIES.includes(policy)) return [];
  return [fieldNotSupported(RECLAIM_POLICY, printedAsJson(policy), RECLAIM_POLICIES)];
}

function validateVolumeBindingMode(mode: string | undefined): FieldError[] {
  if (mode === undefined) return [fieldRequired(VOLUME_BINDING_MODE, '')];
  if (VOLUME_BINDING_MODES.includes(mode)) return [];
  return [fieldNotSupported(VOLUME_BINDING_MODE, printedAsJson(mode), VOLUME_BINDING_MODES)];
}
