import { type DeviceClass, DeviceClassSpec } from '@apiserver/api/resource/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { classFieldsDropper } from '../gated-device-fields.js';
import { checkStored, SelectorChecks } from '../validation/selector-checks.js';
import { validateDeviceClass, validateDeviceClassUpdate } from './validation.js';

/** Upstream: pkg/registry/resource/deviceclass/strategy.go */
export function deviceClassStrategy(features: FeatureGates): Strategy<DeviceClass> {
  const selectors = new SelectorChecks<DeviceClass>(features);
  const dropDisabled = classFieldsDropper(features);
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate(_context, deviceClass) {
      deviceClass.metadata.generation = 1;
      dropDisabled(deviceClass, undefined);
      return selectors.prepare(deviceClass, [deviceClass.spec.selectors]);
    },
    validate: (_context, deviceClass) => validateDeviceClass(deviceClass, selectors.of(deviceClass)),
    prepareForUpdate(_context, deviceClass, old) {
      dropDisabled(deviceClass, old);
      countSpecChange(deviceClass, old, DeviceClassSpec);
      return hasStoredSelectors(deviceClass, old)
        ? undefined
        : selectors.prepare(deviceClass, [deviceClass.spec.selectors]);
    },
    validateUpdate(_context, deviceClass, old) {
      const check = hasStoredSelectors(deviceClass, old) ? checkStored : selectors.of(deviceClass);
      return validateDeviceClassUpdate(deviceClass, old, check);
    },
  };
}

/** Any change of the list, even of its order, makes all its selectors new ones. */
function hasStoredSelectors({ spec }: DeviceClass, old: DeviceClass): boolean {
  return equalJson(spec.selectors ?? [], old.spec.selectors ?? []);
}
