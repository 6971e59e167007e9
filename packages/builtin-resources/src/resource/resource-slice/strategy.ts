import type { Device, ResourceSlice } from '@apiserver/api/resource/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateResourceSlice, validateResourceSliceUpdate } from './validation.js';

const LISTS = ['ints', 'bools', 'strings', 'versions'] as const;

/**
 * The features DRANodeAllocatableResources and DRAListTypeAttributes are off: their fields are dropped unless the
 * stored slice has them.
 * Upstream: pkg/registry/resource/resourceslice/strategy.go
 */
export const resourceSliceStrategy: Strategy<ResourceSlice> = {
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

function driverWarnings({ spec: { driver } }: ResourceSlice): string[] {
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`];
}

/** Mutates `slice`. */
function dropDisabled(slice: ResourceSlice, old: ResourceSlice | undefined): void {
  const devices = slice.spec.devices ?? [];
  if (!uses(old, hasNodeResources)) for (const device of devices) delete device.nodeAllocatableResourceMappings;
  if (uses(old, hasListAttributes)) return;
  for (const attribute of devices.flatMap((device) => Object.values(device.attributes ?? {}))) {
    for (const list of LISTS) delete attribute[list];
  }
}

function uses(slice: ResourceSlice | undefined, has: (device: Device) => boolean): boolean {
  return (slice?.spec.devices ?? []).some(has);
}

function hasNodeResources({ nodeAllocatableResourceMappings: mappings }: Device): boolean {
  return mappings !== undefined && Object.keys(mappings).length > 0;
}

function hasListAttributes({ attributes }: Device): boolean {
  return Object.values(attributes ?? {}).some((attribute) => LISTS.some((list) => attribute[list] !== undefined));
}
