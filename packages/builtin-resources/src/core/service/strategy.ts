import type { Service } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { warningsForIP } from '../validation/ip-fields.js';
import { dropTypeDependentFields } from './type-dependent-fields.js';
import {
  type ServiceRules,
  validateServiceCreate,
  validateServiceStatusUpdate,
  validateServiceUpdate,
} from './validation.js';
import { serviceWarnings } from './warnings.js';

const INGRESS = FieldPath.of('status', 'loadBalancer', 'ingress');

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
    // The path names the element, not its address, as upstream.
    warningsOnUpdate: (_context, { status }) =>
      (status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) => (ip ? warningsForIP(ip, INGRESS.index(i)) : [])),
  };
}
