import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { validateServiceCIDR, validateServiceCIDRStatusUpdate, validateServiceCIDRUpdate } from './validation.js';

/**
 * Without the feature ServiceCIDRStatusFieldWiping, the main endpoint keeps a status that a client sends.
 * Upstream: pkg/registry/networking/servicecidr/strategy.go
 */
export function serviceCIDRStrategy(features: FeatureGates): Strategy<ServiceCIDR> {
  const strategy: Strategy<ServiceCIDR> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    validate: (_context, serviceCIDR) => validateServiceCIDR(serviceCIDR),
    validateUpdate: (_context, serviceCIDR, old) => validateServiceCIDRUpdate(serviceCIDR, old),
  };
  if (!features.enabled('ServiceCIDRStatusFieldWiping')) return strategy;
  return {
    ...strategy,
    resetFields: ['status'],
    prepareForCreate(_context, serviceCIDR) {
      serviceCIDR.status = {};
    },
    prepareForUpdate(_context, serviceCIDR, old) {
      serviceCIDR.status = cloneJson(old.status);
    },
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function serviceCIDRStatusStrategy(main: Strategy<ServiceCIDR>): Strategy<ServiceCIDR> {
  return {
    ...main,
    resetFields: ['metadata', 'spec'],
    prepareForUpdate: (_context, serviceCIDR, old) => restoreForStatus(serviceCIDR, old),
    validateUpdate: (_context, serviceCIDR, old) => validateServiceCIDRStatusUpdate(serviceCIDR, old),
  };
}
