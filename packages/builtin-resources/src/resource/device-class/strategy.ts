import type { DeviceClass } from '@apiserver/api/resource/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { uncompiledSelectorWarnings } from '../validation/device-configuration.js';
import { validateDeviceClass, validateDeviceClassUpdate } from './validation.js';

const SELECTORS = FieldPath.of('spec', 'selectors');

/** Upstream: pkg/registry/resource/deviceclass/strategy.go */
export const deviceClassStrategy: Strategy<DeviceClass> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, deviceClass) {
    deviceClass.metadata.generation = 1;
  },
  validate: (_context, deviceClass) => validateDeviceClass(deviceClass),
  warningsOnCreate: (_context, { spec }) => uncompiledSelectorWarnings(spec.selectors, SELECTORS),
  prepareForUpdate: (_context, deviceClass, old) => countSpecChange(deviceClass, old),
  validateUpdate: (_context, deviceClass, old) => validateDeviceClassUpdate(deviceClass, old),
  warningsOnUpdate: (_context, { spec }, old) =>
    equalJson(spec.selectors ?? [], old.spec.selectors ?? [])
      ? []
      : uncompiledSelectorWarnings(spec.selectors, SELECTORS),
};
