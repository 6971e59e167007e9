import type { Service, ServiceSpec } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateEnum } from '../../validation/enum-field.js';
import { type LegacyIPRules, validateLegacyIP } from '../validation/ip-fields.js';
import { HEADLESS, isHeadless } from './service-traits.js';

const CLUSTER_IPS = FieldPath.of('spec', 'clusterIPs');
const IP_FAMILIES = FieldPath.of('spec', 'ipFamilies');
const IP_FAMILY_POLICY = FieldPath.of('spec', 'ipFamilyPolicy');
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const CHANGED = 'may not change once set';

/**
 * Validates clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy against each other; called before and after
 * allocation.
 * Upstream: ValidateServiceClusterIPsRelatedFields of pkg/apis/core/validation/validation.go
 */
export function validateClusterIPFields(service: Service, strict: boolean, old?: Service): FieldError[] {
  const { spec } = service;
  if (spec.type === 'ExternalName') return [];
  const { ipFamilies = [], ipFamilyPolicy: policy, clusterIPs = [] } = spec;
  const errors = [
    ...validateBothForms(spec),
    ...validateIPFamilies(ipFamilies),
    ...(policy === undefined ? [] : validateEnum(policy, POLICIES, IP_FAMILY_POLICY)),
  ];
  const faults = validateAddresses(clusterIPs, { strict, existing: new Set(old?.spec.clusterIPs) });
  appendAll(errors, faults);
  if (clusterIPs.length > 2) errors.push(fieldInvalid(CLUSTER_IPS, clusterIPs, 'may only hold up to 2 values'));
  return faults.length > 0 ? errors : [...errors, ...validateFamiliesOfAddresses(service)];
}

/** The first of clusterIPs must equal clusterIP. */
function validateBothForms({ clusterIP = '', clusterIPs = [] }: ServiceSpec): FieldError[] {
  if (clusterIP === '') {
    if (clusterIPs.length === 0) return [];
    return [fieldInvalid(CLUSTER_IPS, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [fieldRequired(CLUSTER_IPS, '')];
  if (clusterIPs[0] === clusterIP) return [];
  return [fieldInvalid(CLUSTER_IPS, clusterIPs, 'first value must match `clusterIP`')];
}

function validateIPFamilies(families: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return families.flatMap((family, i) => {
    const path = IP_FAMILIES.index(i);
    const errors = validateEnum(family, FAMILIES, path);
    if (seen.has(family)) errors.push(fieldDuplicate(path, printedAsJson(family)));
    seen.add(family);
    return errors;
  });
}

function validateAddresses(clusterIPs: readonly string[], rules: LegacyIPRules): FieldError[] {
  return clusterIPs.flatMap((address, i) => {
    if (i > 0 || address !== HEADLESS) return validateLegacyIP(address, CLUSTER_IPS.index(i), rules);
    if (clusterIPs.length === 1) return [];
    return [fieldInvalid(CLUSTER_IPS, clusterIPs, "'None' must be the first and only value")];
  });
}

function validateFamiliesOfAddresses(service: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = service.spec;
  const errors: FieldError[] = [];
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(ipFamilyOf)).size < 2) {
    errors.push(fieldInvalid(CLUSTER_IPS, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(service)) return errors;
  const mismatches = clusterIPs.flatMap((address, i) => {
    const family = ipFamilies[i];
    const wrong = (family === 'IPv4' || family === 'IPv6') && ipFamilyOf(address) !== family;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
    return wrong ? [fieldInvalid(CLUSTER_IPS.index(i), address, detail)] : [];
  });
  return [...errors, ...mismatches];
}

/** The family of a valid address; an IPv4-mapped one is IPv4. */
export function ipFamilyOf(address: string): 'IPv4' | 'IPv6' {
  return parseIPAddress(address)?.bytes.length === 16 ? 'IPv6' : 'IPv4';
}

/**
 * The first address is immutable; a second one may be added, or removed if the policy allows it.
 * Upstream: validateUpgradeDowngradeClusterIPs
 */
export function validateClusterIPsUpdate(service: Service, old: Service): FieldError[] {
  if (isExternalName(service) || isExternalName(old)) return [];
  if (isHeadless(service) && isHeadless(old)) return [];
  const { clusterIPs = [], ipFamilyPolicy } = service.spec;
  const before = old.spec.clusterIPs ?? [];
  if (before.length === clusterIPs.length) {
    const changed = before.flatMap((address, i) => (address === clusterIPs[i] ? [] : [i]));
    return changed.map((i) => fieldInvalid(CLUSTER_IPS.index(i), clusterIPs, CHANGED));
  }
  const errors: FieldError[] = [];
  if (clusterIPs.length === 0) {
    errors.push(fieldInvalid(CLUSTER_IPS.index(0), null, 'primary clusterIP can not be unset'));
  }
  if (before.length > 0 && clusterIPs.length > 0 && clusterIPs[0] !== before[0]) {
    errors.push(fieldInvalid(CLUSTER_IPS.index(0), clusterIPs, CHANGED));
  }
  if (before.length > 1 && clusterIPs.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(fieldInvalid(IP_FAMILY_POLICY, printedPolicy(ipFamilyPolicy), detail));
  }
  return errors;
}

/** Upstream: validateUpgradeDowngradeIPFamilies, which names the addresses in two of its messages */
export function validateIPFamiliesUpdate(service: Service, old: Service): FieldError[] {
  if (isExternalName(service) || isExternalName(old) || isHeadless(service) || isHeadless(old)) return [];
  const { clusterIPs, ipFamilies = [], ipFamilyPolicy } = service.spec;
  const before = old.spec.ipFamilies ?? [];
  if (before.length === ipFamilies.length) {
    const changed = before.filter((family, i) => family !== ipFamilies[i]);
    return changed.map(() => fieldInvalid(IP_FAMILIES.index(0), ipFamilies, CHANGED));
  }
  const errors: FieldError[] = [];
  if (before.length > ipFamilies.length && (clusterIPs ?? []).length === 0) {
    errors.push(
      fieldInvalid(IP_FAMILIES.index(0), service.spec.ipFamilies ?? null, 'primary ipFamily can not be unset'),
    );
  }
  if (before.length > 0 && ipFamilies.length > 0 && ipFamilies[0] !== before[0]) {
    errors.push(fieldInvalid(IP_FAMILIES.index(0), clusterIPs ?? null, CHANGED));
  }
  if (before.length > 1 && ipFamilies.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(fieldInvalid(IP_FAMILY_POLICY, printedPolicy(ipFamilyPolicy), detail));
  }
  return errors;
}

function isExternalName({ spec }: Service): boolean {
  return spec.type === 'ExternalName';
}

function printedPolicy(policy: string | undefined): unknown {
  return policy === undefined ? null : printedAsJson(policy);
}
