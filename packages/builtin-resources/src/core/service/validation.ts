import type { Service } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { nameIsDNS1035Label, nameIsDNSLabel, validateLabels } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { validateDNS1123Subdomain } from '../validation/dns-fields.js';
import { validateEndpointIP } from '../validation/endpoint-ip.js';
import { validateLegacyIP } from '../validation/ip-fields.js';
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './annotations.js';
import {
  validateClusterIPFields,
  validateClusterIPsUpdate,
  validateIPFamiliesUpdate,
} from './cluster-ip-validation.js';
import {
  validateLoadBalancerClass,
  validateLoadBalancerFields,
  validateLoadBalancerStatus,
} from './load-balancer-validation.js';
import { validateDuplicatePorts, validateServicePorts } from './port-validation.js';
import { isHeadless } from './service-traits.js';
import { validateSessionAffinity } from './session-affinity-validation.js';
import { validateTrafficPolicies, validateTrafficPoliciesUpdate } from './traffic-policy-validation.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Rules that feature gates change. */
export interface ServiceRules {
  /** Names may begin with digits. Feature gate: RelaxedServiceNameValidation */
  readonly relaxedNames: boolean;
  /** Feature gate: StrictIPCIDRValidation */
  readonly strictAddresses: boolean;
}

/** Upstream: ValidateServiceCreate of pkg/apis/core/validation/validation.go */
export function validateServiceCreate(service: Service, rules: ServiceRules): readonly FieldError[] {
  const validateName = rules.relaxedNames ? nameIsDNSLabel : nameIsDNS1035Label;
  return [
    ...validateBuiltInObjectMeta(service.metadata, { namespaced: true, validateName }),
    ...validateService(service, rules),
  ];
}

/**
 * `old` is the stored service of an update: its existing addresses are exempt from newer rules.
 * Upstream: validateService
 */
function validateService(
  service: Service,
  { strictAddresses: strict }: ServiceRules,
  old?: Service,
): readonly FieldError[] {
  const { spec } = service;
  return [
    ...validateTopologyAnnotations(service),
    ...validateByType(service),
    ...validateServicePorts(service),
    ...(spec.selector === undefined ? [] : validateLabels(spec.selector, SPEC.child('selector'))),
    ...validateSessionAffinity(spec),
    ...validateClusterIPFields(service, strict, old),
    ...validateExternalIPs(service, strict, old),
    ...validateRequiredEnum(spec.type, TYPES, SPEC.child('type')),
    ...validateNodePortsOfClusterIP(service),
    ...validateDuplicatePorts(service),
    ...validateLoadBalancerFields(service, strict, old),
    ...validateLoadBalancerClass(service),
    ...validateTrafficPolicies(service),
  ];
}

/** Upstream: ValidateServiceUpdate */
export function validateServiceUpdate(service: Service, old: Service, rules: ServiceRules): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(service.metadata, old.metadata),
    ...validateClusterIPsUpdate(service, old),
    ...validateIPFamiliesUpdate(service, old),
    ...validateLoadBalancerClass(service, old),
    ...validateTrafficPoliciesUpdate(service, old),
    ...validateService(service, rules, old),
  ];
}

/** Upstream: ValidateServiceStatusUpdate */
export function validateServiceStatusUpdate(
  service: Service,
  old: Service,
  { strictAddresses }: ServiceRules,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(service.metadata, old.metadata),
    ...validateLoadBalancerStatus(service, strictAddresses, old),
  ];
}

function validateTopologyAnnotations({ metadata: { annotations = {} } }: Service): FieldError[] {
  const { [TOPOLOGY_HINTS]: hints, [TOPOLOGY_MODE]: mode } = annotations;
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [fieldInvalid(METADATA.child('annotations').key(TOPOLOGY_MODE), mode, detail)];
}

function validateByType(service: Service): FieldError[] {
  const { type, ports = [], clusterIPs } = service.spec;
  const headless = isHeadless(service);
  const errors: FieldError[] = [];
  if (ports.length === 0 && !headless && type !== 'ExternalName') errors.push(fieldRequired(SPEC.child('ports'), ''));
  if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(fieldInvalid(SPEC.child('clusterIPs').index(0), clusterIPs?.[0], detail));
  }
  return type === 'ExternalName' ? [...errors, ...validateExternalName(service)] : errors;
}

function validateExternalName({ spec }: Service): FieldError[] {
  const set = {
    clusterIPs: (spec.clusterIPs ?? []).length > 0,
    ipFamilies: (spec.ipFamilies ?? []).length > 0,
    ipFamilyPolicy: spec.ipFamilyPolicy !== undefined,
  };
  const refused = Object.entries(set).filter(([, isSet]) => isSet);
  // A trailing dot marks an absolute name.
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  const path = SPEC.child('externalName');
  return [
    ...refused.map(([field]) => fieldForbidden(SPEC.child(field), 'may not be set for ExternalName services')),
    ...(name === '' ? [fieldRequired(path, '')] : validateDNS1123Subdomain(name, path)),
  ];
}

function validateExternalIPs({ spec }: Service, strict: boolean, old: Service | undefined): FieldError[] {
  const rules = { strict, existing: new Set(old?.spec.externalIPs) };
  return (spec.externalIPs ?? []).flatMap((ip, i) => {
    const path = SPEC.child('externalIPs').index(i);
    const errors = validateLegacyIP(ip, path, rules);
    return errors.length > 0 ? errors : validateEndpointIP(ip, path);
  });
}

function validateNodePortsOfClusterIP({ spec }: Service): FieldError[] {
  if (spec.type !== 'ClusterIP') return [];
  return (spec.ports ?? []).flatMap(({ nodePort }, i) => {
    const path = SPEC.child('ports').index(i).child('nodePort');
    return nodePort ? [fieldForbidden(path, "may not be used when `type` is 'ClusterIP'")] : [];
  });
}
