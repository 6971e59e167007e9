import type { Service } from '@apiserver/api/core/v1';
import { appendAll, FieldPath } from '@apiserver/apimachinery/field';
import { warningsForCIDR, warningsForIP } from '../validation/ip-fields.js';
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './annotations.js';
import { HEADLESS } from './service-traits.js';

const SPEC = FieldPath.of('spec');

/** Upstream: GetWarningsForService of pkg/api/service/warnings.go */
export function serviceWarnings(service: Service): readonly string[] {
  const { metadata, spec } = service;
  const warnings: string[] = [];
  if (metadata.annotations?.[TOPOLOGY_HINTS] !== undefined) {
    warnings.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`);
  }
  if (isAddressed(service)) appendAll(warnings, (spec.clusterIPs ?? []).flatMap(warnAt('clusterIPs')));
  if (isIgnoringAddresses(service)) warnings.push(...headlessWarnings(service));
  appendAll(warnings, externalIPWarnings(service));
  if (spec.loadBalancerIP) warnings.push(...warningsForIP(spec.loadBalancerIP, SPEC.child('loadBalancerIP')));
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    appendAll(warnings, warningsForCIDR(range, SPEC.child('loadBalancerSourceRanges').index(i)));
  }
  if (spec.type === 'ExternalName' && (spec.externalIPs ?? []).length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== 'ExternalName' && spec.externalName) {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

function warnAt(field: string): (address: string, index: number) => string[] {
  return (address, index) => warningsForIP(address, SPEC.child(field).index(index));
}

/** Upstream: IsServiceIPSet of pkg/apis/core/helper/helpers.go */
function isAddressed({ spec }: Service): boolean {
  return Boolean(spec.clusterIP) && spec.clusterIP !== HEADLESS && spec.type !== 'ExternalName';
}

/** Narrower than isHeadless of validation. Upstream: isHeadlessService of pkg/api/service/warnings.go */
function isIgnoringAddresses({ spec }: Service): boolean {
  return spec.type === 'ClusterIP' && spec.clusterIP === HEADLESS;
}

function headlessWarnings({ spec }: Service): string[] {
  const ignored: string[] = [];
  if (spec.loadBalancerIP) ignored.push('spec.loadBalancerIP');
  if ((spec.externalIPs ?? []).length > 0) ignored.push('spec.externalIPs');
  if (spec.sessionAffinity !== 'None') ignored.push('spec.SessionAffinity');
  return ignored.map((field) => `${field} is ignored for headless services`);
}

function externalIPWarnings(service: Service): string[] {
  const { externalIPs = [], type } = service.spec;
  const warnings = externalIPs.flatMap(warnAt('externalIPs'));
  if (externalIPs.length > 0 && !isIgnoringAddresses(service) && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  return warnings;
}
