import type { Service } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isValidPortNum } from '@apiserver/apimachinery/validation';
import { validateEnum, validateRequiredEnum } from '../../validation/enum-field.js';
import { isExternallyAccessible, needsHealthCheck } from './service-traits.js';

const SPEC = FieldPath.of('spec');
const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const WITH_INTERNAL_POLICY: readonly string[] = ['ClusterIP', 'LoadBalancer', 'NodePort'];

/**
 * Upstream: validateServiceExternalTrafficPolicy, validateServiceInternalTrafficFieldsValue and
 * validateServiceTrafficDistribution of pkg/apis/core/validation/validation.go
 */
export function validateTrafficPolicies(service: Service): FieldError[] {
  return [
    ...validateExternalPolicy(service),
    ...validateHealthCheckNodePort(service),
    ...validateInternalPolicy(service),
    ...validateDistribution(service),
  ];
}

/** Upstream: validateServiceExternalTrafficFieldsUpdate */
export function validateTrafficPoliciesUpdate(service: Service, old: Service): FieldError[] {
  if (!needsHealthCheck(old) || !needsHealthCheck(service)) return [];
  if ((service.spec.healthCheckNodePort ?? 0) === (old.spec.healthCheckNodePort ?? 0)) return [];
  return [fieldForbidden(SPEC.child('healthCheckNodePort'), 'field is immutable')];
}

function validateExternalPolicy(service: Service): FieldError[] {
  const path = SPEC.child('externalTrafficPolicy');
  const { externalTrafficPolicy: policy = '' } = service.spec;
  if (!isExternallyAccessible(service)) {
    const detail = 'may only be set for externally-accessible services';
    return policy === '' ? [] : [fieldInvalid(path, printedAsJson(policy), detail)];
  }
  return validateRequiredEnum(policy, POLICIES, path);
}

function validateHealthCheckNodePort(service: Service): FieldError[] {
  const path = SPEC.child('healthCheckNodePort');
  const { healthCheckNodePort: port = 0 } = service.spec;
  if (!needsHealthCheck(service)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    return port === 0 ? [] : [fieldInvalid(path, port, detail)];
  }
  if (port === 0) return [fieldRequired(path, '')];
  return isValidPortNum(port).map((fault) => fieldInvalid(path, port, fault));
}

function validateInternalPolicy({ spec: { type = '', internalTrafficPolicy: policy } }: Service): FieldError[] {
  const path = SPEC.child('internalTrafficPolicy');
  if (policy === undefined) return WITH_INTERNAL_POLICY.includes(type) ? [fieldRequired(path, '')] : [];
  return validateEnum(policy, POLICIES, path);
}

function validateDistribution({ spec: { trafficDistribution } }: Service): FieldError[] {
  if (trafficDistribution === undefined || DISTRIBUTIONS.includes(trafficDistribution)) return [];
  return [fieldNotSupported(SPEC.child('trafficDistribution'), trafficDistribution, DISTRIBUTIONS)];
}
