import type { ResourceSlice } from '@apiserver/api/resource/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { droppingFields, type GatedFields, gatedFields } from '../../gated-fields.js';
import { validateResourceSlice, validateResourceSliceUpdate } from './validation.js';

const MAPPINGS = 'spec.devices.*.nodeAllocatableResourceMappings';
/** An empty map is not in use. */
const NODE_RESOURCES: GatedFields<ResourceSlice> = {
  ...gatedFields(MAPPINGS),
  isUsed: gatedFields<ResourceSlice>(`${MAPPINGS}.*`).isUsed,
};
const LISTS = gatedFields<ResourceSlice>(
  ...['ints', 'bools', 'strings', 'versions'].map((list) => `spec.devices.*.attributes.*.${list}`),
);

/**
 * DRANodeAllocatableResources is off, and DRAListTypeAttributes may be: their fields are dropped unless the stored
 * slice has them.
 * Upstream: pkg/registry/resource/resourceslice/strategy.go
 */
export function resourceSliceStrategy(features: FeatureGates): Strategy<ResourceSlice> {
  const lists = features.enabled('DRAListTypeAttributes') ? [] : [LISTS];
  const dropDisabled = droppingFields([NODE_RESOURCES, ...lists]);
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
      countSpecChange(slice, old);
      dropDisabled(slice, old);
    },
    validateUpdate: (_context, slice, old) => validateResourceSliceUpdate(slice, old),
    warningsOnUpdate: (_context, slice) => driverWarnings(slice),
  };
}

function driverWarnings({ spec: { driver } }: ResourceSlice): string[] {
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`];
}
