import type { CSIDriver } from '@apiserver/api/storage/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateCSIDriver, validateCSIDriverUpdate } from './validation.js';

/**
 * The feature VolumeLimitScaling is off: its field is dropped unless the stored driver has it.
 * Upstream: pkg/registry/storage/csidriver/strategy.go
 */
export const csiDriverStrategy: Strategy<CSIDriver> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, driver) {
    delete driver.spec.preventPodSchedulingIfMissing;
    driver.metadata.generation = 1;
  },
  validate: (_context, driver) => validateCSIDriver(driver),
  prepareForUpdate(_context, driver, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete driver.spec.preventPodSchedulingIfMissing;
    countSpecChange(driver, old);
  },
  validateUpdate: (_context, driver, old) => [...validateCSIDriver(driver), ...validateCSIDriverUpdate(driver, old)],
};
