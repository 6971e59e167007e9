import type { PersistentVolumeSpec } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldForbidden, fieldRequired } from '@apiserver/apimachinery/field';
import { validatePersistentVolumeSource } from '../../core/persistent-volume/source-validation.js';
import { validateAccessModes } from '../../core/validation/access-modes.js';

const NOT_INLINE = 'may not be specified in the context of inline volumes';

/**
 * Validates an inline volume: a CSI volume without references to claims, classes and nodes.
 * Upstream: ValidatePersistentVolumeSpec of pkg/apis/core/validation/validation.go, with validateInlinePersistentSpec
 */
export function validateInlineVolumeSpec(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const { nodeAffinity, ...unbound } = spec;
  const { accessModes = [], capacity = {} } = spec;
  const forbidden = (isThere: boolean, field: string, detail = NOT_INLINE) =>
    isThere ? [fieldForbidden(path.child(field), detail)] : [];
  const { persistentVolumeReclaimPolicy: policy, volumeMode: mode } = spec;
  const isOther = (value: string | undefined, only: string) => Boolean(value) && value !== only;
  return [
    ...forbidden(spec.claimRef !== undefined, 'claimRef'),
    ...forbidden(Object.keys(capacity).length > 0, 'capacity'),
    ...(spec.csi === undefined ? [required(path, 'csi', 'has to be specified in the context of inline volumes')] : []),
    ...(accessModes.length === 0 ? [required(path, 'accessModes', '')] : []),
    ...validateAccessModes(accessModes, path.child('accessModes')),
    ...forbidden(
      isOther(policy, 'Retain'),
      'persistentVolumeReclaimPolicy',
      'may only be Retain in the context of inline volumes',
    ),
    ...forbidden(nodeAffinity !== undefined, 'nodeAffinity'),
    ...validatePersistentVolumeSource({ metadata: {}, spec: unbound }, path),
    ...forbidden(Boolean(spec.storageClassName), 'storageClassName'),
    ...forbidden(
      mode !== undefined && mode !== 'Filesystem',
      'volumeMode',
      'may not specify volumeMode other than Filesystem in the context of inline volumes',
    ),
    ...validateAttributesClass(spec, path),
  ];
}

function validateAttributesClass({ volumeAttributesClassName, csi }: PersistentVolumeSpec, path: FieldPath) {
  if (volumeAttributesClassName === undefined) return [];
  return [
    ...(volumeAttributesClassName === ''
      ? [required(path, 'volumeAttributesClassName', 'an empty string is disallowed')]
      : []),
    ...(csi === undefined ? [required(path, 'csi', 'has to be specified when using volumeAttributesClassName')] : []),
  ];
}

function required(path: FieldPath, field: string, detail: string): FieldError {
  return fieldRequired(path.child(field), detail);
}
