import type { Service } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { dropTypeDependentFields } from './type-dependent-fields.js';
import {
  type ServiceRules,
  validateServiceCreate,
  validateServiceStatusUpdate,
  validateServiceUpdate,
} from './validation.js';
import { serviceWarnings } from './warnings.js';

/** Upstream: pkg/registry/core/service/strategy.go */
export function serviceStrategy(rules: ServiceRules): Strategy<Service> {
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, service) {
      service.status = { loadBalancer: {} };
    },
    validate: (_context, service) => validateServiceCreate(service, rules),
    warningsOnCreate: (_context, service) => serviceWarnings(service),
    prepareForUpdate(_context, service, old) {
      service.status = cloneJson(old.status);
      dropTypeDependentFields(service, old);
    },
    validateUpdate: (_context, service, old) => validateServiceUpdate(service, old, rules),
    warningsOnUpdate: (_context, service) => serviceWarnings(service),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function serviceStatusStrategy(main: Strategy<Service>, rules: ServiceRules): Strategy<Service> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, service, old) {
      service.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, service, old) => validateServiceStatusUpdate(service, old, rules),
    warningsOnUpdate: () => [],
  };
}
