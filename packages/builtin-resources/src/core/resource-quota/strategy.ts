import type { ResourceQuota } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { amountWarnings } from './amount-warnings.js';
import { validateResourceQuota, validateResourceQuotaStatusUpdate, validateResourceQuotaUpdate } from './validation.js';

/** Upstream: pkg/registry/core/resourcequota/strategy.go */
export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, quota) {
    quota.status = {};
  },
  validate: (_context, quota) => validateResourceQuota(quota),
  warningsOnCreate: (_context, quota) => amountWarnings(quota),
  prepareForUpdate(_context, quota, old) {
    quota.status = cloneJson(old.status);
  },
  validateUpdate: (_context, quota, old) => validateResourceQuotaUpdate(quota, old),
};

/** Strategy of the status endpoint. */
export const resourceQuotaStatusStrategy: Strategy<ResourceQuota> = {
  ...resourceQuotaStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, quota, old) {
    quota.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, quota, old) => validateResourceQuotaStatusUpdate(quota, old),
};
