import type { DeviceClaim, ResourceClaim } from '@apiserver/api/resource/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { resetMetadataForStatus } from '@apiserver/resource-kit';
import { uncompiledSelectorWarnings } from '../validation/device-configuration.js';
import { dropDeallocatedDevices } from './deallocated-devices.js';
import { validateResourceClaimStatusUpdate } from './status-validation.js';
import { validateResourceClaim, validateResourceClaimUpdate } from './validation.js';

const DEVICES = FieldPath.of('spec', 'devices');

/**
 * Every field of claims belongs to an enabled feature. The server checks admin access and writes to parts of the
 * status: see `withDeviceAccess`.
 * Upstream: pkg/registry/resource/resourceclaim/strategy.go
 */
export const resourceClaimStrategy: Strategy<ResourceClaim> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, claim) {
    claim.status = {};
  },
  validate: (_context, claim) => validateResourceClaim(claim),
  warningsOnCreate: (_context, { spec }) => requestWarnings(spec.devices, DEVICES),
  prepareForUpdate(_context, claim, old) {
    claim.status = cloneJson(old.status);
  },
  validateUpdate: (_context, claim, old) => validateResourceClaimUpdate(claim, old),
};

/** Strategy of the status endpoint. */
export const resourceClaimStatusStrategy: Strategy<ResourceClaim> = {
  ...resourceClaimStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate(_context, claim, old) {
    claim.spec = cloneJson(old.spec);
    resetMetadataForStatus(claim, old);
    dropDeallocatedDevices(claim.status, old.status);
  },
  validateUpdate: (_context, claim, old) => validateResourceClaimStatusUpdate(claim, old),
};

/** Warnings about the requests of a new claim or claim template. */
export function requestWarnings({ requests }: DeviceClaim, path: FieldPath): string[] {
  return (requests ?? []).flatMap(({ exactly, firstAvailable = [] }, i) => {
    const at = path.child('requests').index(i);
    return [
      ...uncompiledSelectorWarnings(exactly?.selectors, at.child('exactly', 'selectors')),
      ...firstAvailable.flatMap(({ selectors }, j) =>
        uncompiledSelectorWarnings(selectors, at.child('firstAvailable').index(j).child('selectors')),
      ),
    ];
  });
}
