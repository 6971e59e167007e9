import { type CSIDriver, CSIDriverSpec } from '@apiserver/api/storage/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateCSIDriver, validateCSIDriverUpdate } from './validation.js';

const TOKENS_MAY_BE_LOGGED =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, ' +
  'set to true to prevent possible logging of tokens in volume attributes';

/**
 * The feature VolumeLimitScaling is off: its field is dropped unless the stored driver has it.
 * Created drivers have the generation that they were sent with, usually none.
 * Upstream: pkg/registry/storage/csidriver/strategy.go
 */
export const csiDriverStrategy: Strategy<CSIDriver> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, driver) {
    delete driver.spec.preventPodSchedulingIfMissing;
  },
  validate: (_context, driver) => validateCSIDriver(driver),
  warningsOnCreate: (_context, driver) => tokenWarnings(driver),
  prepareForUpdate(_context, driver, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete driver.spec.preventPodSchedulingIfMissing;
    countSpecChange(driver, old, CSIDriverSpec);
  },
  validateUpdate: (_context, driver, old) => validateCSIDriverUpdate(driver, old),
  warningsOnUpdate: (_context, driver, old) =>
    equalJson(driver.spec.tokenRequests ?? [], old.spec.tokenRequests ?? []) ? [] : tokenWarnings(driver),
};

function tokenWarnings({ spec: { tokenRequests = [], serviceAccountTokenInSecrets } }: CSIDriver): string[] {
  return tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined ? [TOKENS_MAY_BE_LOGGED] : [];
}
