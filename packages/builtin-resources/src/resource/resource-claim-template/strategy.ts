import type { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { requestWarnings } from '../resource-claim/strategy.js';
import { validateResourceClaimTemplate, validateResourceClaimTemplateUpdate } from './validation.js';

const DEVICES = FieldPath.of('spec', 'spec', 'devices');

/** Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go */
export const resourceClaimTemplateStrategy: Strategy<ResourceClaimTemplate> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, template) => validateResourceClaimTemplate(template),
  warningsOnCreate: (_context, { spec }) => requestWarnings(spec.spec.devices, DEVICES),
  validateUpdate: (_context, template, old) => validateResourceClaimTemplateUpdate(template, old),
};
