import type { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { claimFieldsDropper } from '../gated-device-fields.js';
import { selectorsOf } from '../validation/device-claim.js';
import { SelectorChecks } from '../validation/selector-checks.js';
import { validateResourceClaimTemplate, validateResourceClaimTemplateUpdate } from './validation.js';

/** Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go */
export function resourceClaimTemplateStrategy(features: FeatureGates): Strategy<ResourceClaimTemplate> {
  const selectors = new SelectorChecks<ResourceClaimTemplate>(features);
  const dropDisabled = claimFieldsDropper(features);
  const hasDistinctAttributes = features.enabled('DRAConsumableCapacity');
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate(_context, template) {
      const { devices } = template.spec.spec;
      dropDisabled(devices, undefined);
      return selectors.prepare(template, selectorsOf(devices));
    },
    validate: (_context, template) =>
      validateResourceClaimTemplate(template, { check: selectors.of(template), hasDistinctAttributes }),
    prepareForUpdate: (_context, { spec }, old) => dropDisabled(spec.spec.devices, old.spec.spec.devices),
    validateUpdate: (_context, template, old) => validateResourceClaimTemplateUpdate(template, old),
  };
}
