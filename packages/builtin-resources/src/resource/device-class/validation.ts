import type { DeviceClass, DeviceClassConfiguration, DeviceClassSpec } from '@apiserver/api/resource/v1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isExtendedResource } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateLongName } from '../../core/validation/dns-fields.js';
import { validateList } from '../validation/bounded-collections.js';
import {
  MAX_CONFIGURATIONS,
  validateDeviceConfiguration,
  validateSelectors,
} from '../validation/device-configuration.js';
import type { CheckExpression } from '../validation/selector-checks.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateDeviceClass of pkg/apis/resource/validation/validation.go */
export function validateDeviceClass({ metadata, spec }: DeviceClass, check: CheckExpression): readonly FieldError[] {
  return [...validateMetadata(metadata), ...validateSpec(spec, undefined, check)];
}

/** Upstream: ValidateDeviceClassUpdate */
export function validateDeviceClassUpdate(
  { metadata, spec }: DeviceClass,
  old: DeviceClass,
  check: CheckExpression,
): readonly FieldError[] {
  return [
    ...validateMetadata(metadata),
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, old.spec, check),
  ];
}

function validateMetadata(metadata: DeviceClass['metadata']): FieldError[] {
  return validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: validateLongName });
}

function validateSpec(spec: DeviceClassSpec, old: DeviceClassSpec | undefined, check: CheckExpression): FieldError[] {
  const { selectors, config = [], extendedResourceName: name } = spec;
  const isStored = old !== undefined && equalJson(config, old.config ?? []);
  const rules = {
    max: MAX_CONFIGURATIONS,
    validate: (configuration: DeviceClassConfiguration, path: FieldPath) =>
      validateDeviceConfiguration(configuration, isStored, path),
  };
  return [
    ...validateSelectors(selectors, check, SPEC.child('selectors')),
    ...validateList(config, rules, SPEC.child('config')),
    ...(name === undefined || isExtendedResource(name)
      ? []
      : [fieldInvalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name')]),
  ];
}
