import type { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { selectorsOf } from '../validation/device-claim.js';
import { SelectorChecks } from '../validation/selector-checks.js';
import { validateResourceClaimTemplate, validateResourceClaimTemplateUpdate } from './validation.js';

/** Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go */
export function resourceClaimTemplateStrategy(features: FeatureGates): Strategy<ResourceClaimTemplate> {
  const selectors = new SelectorChecks<ResourceClaimTemplate>(features);
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate: (_context, template) => selectors.prepare(template, selectorsOf(template.spec.spec.devices)),
    validate: (_context, template) => validateResourceClaimTemplate(template, selectors.of(template)),
    validateUpdate: (_context, template, old) => validateResourceClaimTemplateUpdate(template, old),
  };
}
