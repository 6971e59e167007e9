import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { resetMetadataForStatus } from '@apiserver/resource-kit';
import { validateServiceCIDR, validateServiceCIDRStatusUpdate, validateServiceCIDRUpdate } from './validation.js';

/**
 * Behaves as with the feature ServiceCIDRStatusFieldWiping.
 * Upstream: pkg/registry/networking/servicecidr/strategy.go
 */
export const serviceCIDRStrategy: Strategy<ServiceCIDR> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, serviceCIDR) {
    serviceCIDR.status = {};
  },
  validate: (_context, serviceCIDR) => validateServiceCIDR(serviceCIDR),
  prepareForUpdate(_context, serviceCIDR, old) {
    serviceCIDR.status = cloneJson(old.status);
  },
  validateUpdate: (_context, serviceCIDR, old) => validateServiceCIDRUpdate(serviceCIDR, old),
};

/** Strategy of the status endpoint. */
export const serviceCIDRStatusStrategy: Strategy<ServiceCIDR> = {
  ...serviceCIDRStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate(_context, serviceCIDR, old) {
    serviceCIDR.spec = cloneJson(old.spec);
    resetMetadataForStatus(serviceCIDR, old);
  },
  validateUpdate: (_context, serviceCIDR, old) => validateServiceCIDRStatusUpdate(serviceCIDR, old),
};
