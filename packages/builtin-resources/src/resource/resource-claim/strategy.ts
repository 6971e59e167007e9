import type { ResourceClaim } from '@apiserver/api/resource/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { claimFieldsDropper, claimStatusFieldsDropper } from '../gated-device-fields.js';
import { selectorsOf } from '../validation/device-claim.js';
import { SelectorChecks } from '../validation/selector-checks.js';
import { dropDeallocatedDevices } from './deallocated-devices.js';
import { validateResourceClaimStatusUpdate } from './status-validation.js';
import { validateResourceClaim, validateResourceClaimUpdate } from './validation.js';

/**
 * Fields of disabled features are dropped unless the stored claim has them. The server checks admin access and writes to
 * parts of the status: see `withClaimAccess`.
 * Upstream: pkg/registry/resource/resourceclaim/strategy.go
 */
export function resourceClaimStrategy(features: FeatureGates): Strategy<ResourceClaim> {
  const selectors = new SelectorChecks<ResourceClaim>(features);
  const dropDisabled = claimFieldsDropper(features);
  const hasDistinctAttributes = features.enabled('DRAConsumableCapacity');
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, claim) {
      claim.status = {};
      dropDisabled(claim.spec.devices, undefined);
      return selectors.prepare(claim, selectorsOf(claim.spec.devices));
    },
    validate: (_context, claim) => validateResourceClaim(claim, { check: selectors.of(claim), hasDistinctAttributes }),
    prepareForUpdate(_context, claim, old) {
      claim.status = cloneJson(old.status);
      dropDisabled(claim.spec.devices, old.spec.devices);
    },
    validateUpdate: (_context, claim, old) => validateResourceClaimUpdate(claim, old),
  };
}

/** Strategy of the status endpoint. `main` is the strategy of the main endpoint. */
export function resourceClaimStatusStrategy(
  main: Strategy<ResourceClaim>,
  features: FeatureGates,
): Strategy<ResourceClaim> {
  const dropDisabled = claimStatusFieldsDropper(features);
  return {
    ...main,
    resetFields: ['metadata', 'spec'],
    prepareForUpdate(_context, claim, old) {
      restoreForStatus(claim, old);
      dropDisabled(claim, old);
      dropDeallocatedDevices(claim.status, old.status);
    },
    validateUpdate: (_context, claim, old) => validateResourceClaimStatusUpdate(claim, old),
  };
}
