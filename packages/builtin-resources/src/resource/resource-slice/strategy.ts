import { type ResourceSlice, ResourceSliceSpec } from '@apiserver/api/resource/v1';
import { lowerCase, quote } from '@apiserver/apimachinery/text';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { sliceFieldsDropper } from '../gated-device-fields.js';
import { validateResourceSlice, validateResourceSliceUpdate } from './validation.js';

/**
 * Fields of disabled features are dropped unless the stored slice has them.
 * Upstream: pkg/registry/resource/resourceslice/strategy.go
 */
export function resourceSliceStrategy(features: FeatureGates): Strategy<ResourceSlice> {
  const dropDisabled = sliceFieldsDropper(features);
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate(_context, slice) {
      slice.metadata.generation = 1;
      dropDisabled(slice, undefined);
    },
    validate: (_context, slice) => validateResourceSlice(slice),
    warningsOnCreate: (_context, slice) => driverWarnings(slice),
    prepareForUpdate(_context, slice, old) {
      countSpecChange(slice, old, ResourceSliceSpec);
      dropDisabled(slice, old);
    },
    validateUpdate: (_context, slice, old) => validateResourceSliceUpdate(slice, old),
    warningsOnUpdate: (_context, slice) => driverWarnings(slice),
  };
}

function driverWarnings({ spec: { driver } }: ResourceSlice): string[] {
  if (driver === lowerCase(driver)) return [];
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`];
}
