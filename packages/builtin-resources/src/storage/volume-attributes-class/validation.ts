import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateParameters, validateProvisioner } from '../class-parameters.js';

const DRIVER_NAME = FieldPath.of('driverName');
const PARAMETERS = FieldPath.of('parameters');

/** Upstream: ValidateVolumeAttributesClass of pkg/apis/storage/validation/validation.go */
export function validateVolumeAttributesClass(attributes: VolumeAttributesClass): readonly FieldError[] {
  const { metadata, driverName, parameters = {} } = attributes;
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...validateProvisioner(driverName, DRIVER_NAME),
    ...validateParameters(parameters, false),
  ];
}

/** The rules for all classes come last. Upstream: ValidateVolumeAttributesClassUpdate */
export function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  old: VolumeAttributesClass,
): readonly FieldError[] {
  const sameParameters = equalJson(attributes.parameters ?? null, old.parameters ?? null);
  return [
    ...validateBuiltInObjectMetaUpdate(attributes.metadata, old.metadata),
    ...(attributes.driverName === old.driverName
      ? []
      : [fieldForbidden(DRIVER_NAME, 'updates to driverName are forbidden.')]),
    ...(sameParameters ? [] : [fieldForbidden(PARAMETERS, 'updates to parameters are forbidden.')]),
    ...validateVolumeAttributesClass(attributes),
  ];
}
