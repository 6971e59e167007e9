import type { Service } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { dropTypeDependentFields } from './type-dependent-fields.js';
import { validateServiceCreate, validateServiceStatusUpdate, validateServiceUpdate } from './validation.js';
import { serviceWarnings } from './warnings.js';

/** Upstream: pkg/registry/core/service/strategy.go */
export const serviceStrategy: Strategy<Service> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, service) {
    service.status = { loadBalancer: {} };
  },
  validate: (_context, service) => validateServiceCreate(service),
  warningsOnCreate: (_context, service) => serviceWarnings(service),
  prepareForUpdate(_context, service, old) {
    service.status = cloneJson(old.status);
    dropTypeDependentFields(service, old);
  },
  validateUpdate: (_context, service, old) => validateServiceUpdate(service, old),
  warningsOnUpdate: (_context, service) => serviceWarnings(service),
};

/** Strategy of the status endpoint. */
export const serviceStatusStrategy: Strategy<Service> = {
  ...serviceStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, service, old) {
    service.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, service, old) => validateServiceStatusUpdate(service, old),
  warningsOnUpdate: () => [],
};
