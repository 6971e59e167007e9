import type { LoadBalancerIngress, Service } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateEnum } from '../../validation/enum-field.js';
import { validateQualifiedName } from '../validation/dns-fields.js';
import { type LegacyIPRules, validateLegacyCIDR, validateLegacyIP } from '../validation/ip-fields.js';
import { LOAD_BALANCER_SOURCE_RANGES } from './annotations.js';

const SPEC = FieldPath.of('spec');
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const IP_MODES = ['Proxy', 'VIP'];

/** Upstream: ValidateService of pkg/apis/core/validation/validation.go */
export function validateLoadBalancerFields(service: Service, strict: boolean, old: Service | undefined): FieldError[] {
  const { spec } = service;
  const errors = validateSourceRanges(service, strict, old);
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    errors.push(fieldForbidden(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_LOAD_BALANCER));
  }
  if (spec.allocateLoadBalancerNodePorts === undefined && spec.type === 'LoadBalancer') {
    errors.push(fieldRequired(FieldPath.of('allocateLoadBalancerNodePorts'), ''));
  }
  return errors;
}

/**
 * The field or, without it, the older annotation. An unchanged annotation is exempt, as are ranges of the old field.
 */
function validateSourceRanges({ metadata, spec }: Service, strict: boolean, old: Service | undefined): FieldError[] {
  const { type, loadBalancerSourceRanges: ranges = [] } = spec;
  if (ranges.length > 0) {
    const existing = new Set(old?.spec.loadBalancerSourceRanges?.map((range) => trimSpace(range)));
    const path = SPEC.child('LoadBalancerSourceRanges');
    return [
      ...(type === 'LoadBalancer' ? [] : [fieldForbidden(path, ONLY_LOAD_BALANCER)]),
      ...ranges.flatMap((range, i) => validateLegacyCIDR(trimSpace(range), path.index(i), { strict, existing })),
    ];
  }
  const annotation = metadata.annotations?.[LOAD_BALANCER_SOURCE_RANGES];
  if (annotation === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(LOAD_BALANCER_SOURCE_RANGES);
  const isUnchanged = old?.metadata.annotations?.[LOAD_BALANCER_SOURCE_RANGES] === annotation;
  const annotated = isUnchanged || trimSpace(annotation) === '' ? [] : trimSpace(annotation).split(',');
  return [
    ...(type === 'LoadBalancer' ? [] : [fieldForbidden(path, ONLY_LOAD_BALANCER)]),
    ...annotated.flatMap((range) => validateLegacyCIDR(trimSpace(range), path, { strict })),
  ];
}

/** Validates the class or, with `old`, that it is unchanged. Upstream: validateLoadBalancerClassField */
export function validateLoadBalancerClass({ spec }: Service, old?: Service): FieldError[] {
  const path = SPEC.child('loadBalancerClass');
  const { type, loadBalancerClass } = spec;
  const errors: FieldError[] = [];
  if (
    old?.spec.type === 'LoadBalancer' &&
    type === 'LoadBalancer' &&
    old.spec.loadBalancerClass !== loadBalancerClass
  ) {
    errors.push(fieldInvalid(path, loadBalancerClass ?? null, 'may not change once set'));
  }
  if (loadBalancerClass === undefined) return errors;
  if (type !== 'LoadBalancer') return [...errors, fieldForbidden(path, ONLY_LOAD_BALANCER)];
  return [...errors, ...validateQualifiedName(loadBalancerClass, path)];
}

/** Upstream: ValidateLoadBalancerStatus */
export function validateLoadBalancerStatus({ spec, status }: Service, strict: boolean, old: Service): FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const { ingress = [] } = status.loadBalancer;
  if (spec.type !== 'LoadBalancer' && ingress.length > 0) {
    return [fieldForbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const existing = new Set((old.status.loadBalancer.ingress ?? []).map(({ ip = '' }) => ip));
  return ingress.flatMap((place, i) => validateIngress(place, path.index(i), { strict, existing }));
}

function validateIngress(place: LoadBalancerIngress, path: FieldPath, rules: LegacyIPRules): FieldError[] {
  const { ip = '', hostname = '' } = place;
  const errors = ip === '' ? [] : validateLegacyIP(ip, path.child('ip'), rules);
  errors.push(...validateIPMode(place, path.child('ipMode')));
  if (hostname === '') return errors;
  errors.push(...isDNS1123Subdomain(hostname).map((fault) => fieldInvalid(path.child('hostname'), hostname, fault)));
  if (parseIPAddress(hostname) !== undefined) {
    errors.push(fieldInvalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  }
  return errors;
}

function validateIPMode({ ip = '', ipMode }: LoadBalancerIngress, path: FieldPath): FieldError[] {
  if (ipMode === undefined) return ip === '' ? [] : [fieldRequired(path, 'must be specified when `ip` is set')];
  if (ip === '') return [fieldForbidden(path, 'may not be specified when `ip` is not set')];
  return validateEnum(ipMode, IP_MODES, path);
}
