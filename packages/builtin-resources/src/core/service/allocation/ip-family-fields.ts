import type { Service } from '@apiserver/api/core/v1';
import { newInvalid } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { ipFamilyOf, validateClusterIPFields } from '../cluster-ip-validation.js';
import { HEADLESS, needsClusterIP, sameTexts } from '../service-traits.js';
import type { IPFamily, ServiceAllocators } from './service-allocators.js';

const POLICY = FieldPath.of('spec', 'ipFamilyPolicy');
const FAMILIES = FieldPath.of('spec', 'ipFamilies');
const CLUSTER_IPS = FieldPath.of('spec', 'clusterIPs');

type Families = Pick<ServiceAllocators, 'primaryFamily' | 'clusterIPs'>;

/**
 * Determines families and policy from the request, the old service, and the server's ranges. Mutates `service`.
 * Throws 422 for a contradiction.
 * Upstream: initIPFamilyFields of pkg/registry/core/service/storage/alloc.go
 */
export function initIPFamilyFields(
  allocators: Families,
  strictAddresses: boolean,
  service: Service,
  old?: Service,
): void {
  const { spec } = service;
  if (!needsClusterIP(service) || (old !== undefined && isSettledPreferDualStack(service, old))) return;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (isSelectorless(service) ? 'RequireDualStack' : 'SingleStack');
  refuse(service, validateClusterIPFields(service, strictAddresses, old));
  const errors = old === undefined ? [] : releaseSecondary(service, old);
  errors.push(...checkPolicyAgainstCounts(service), ...inferFamilies(allocators, service));
  refuse(service, errors);
  if (isSelectorless(service)) {
    spec.ipFamilies = withSecond(service, spec.ipFamilies ?? [allocators.primaryFamily]);
    return;
  }
  refuse(service, checkConfigured(allocators, service));
  const families = spec.ipFamilies ?? [allocators.primaryFamily];
  spec.ipFamilies = allocators.clusterIPs.size === 2 ? withSecond(service, families) : families;
}

/**
 * A PreferDualStack service stays unchanged when the server gains or loses a family, until a client changes it.
 * Upstream: isMatchingPreferDualStackClusterIPFields
 */
export function isSettledPreferDualStack({ spec }: Service, old: Service): boolean {
  const before = old.spec;
  return (
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    before.type === spec.type &&
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameTexts(before.clusterIPs, spec.clusterIPs) &&
    sameTexts(before.ipFamilies, spec.ipFamilies)
  );
}

/** Headless and without a selector: the writer of its endpoints determines the families. */
function isSelectorless({ spec }: Service): boolean {
  return spec.clusterIP === HEADLESS && Object.keys(spec.selector ?? {}).length === 0;
}

function refuse({ metadata }: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

/** Only a single-stack policy releases the second address. */
function releaseSecondary({ spec }: Service, old: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (sameTexts(old.spec.clusterIPs, clusterIPs) && clusterIPs.length > 1) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (sameTexts(old.spec.ipFamilies, ipFamilies) && ipFamilies.length > 1) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const reduced = (now: readonly string[], before: readonly string[] = []) =>
    now.length > 0 && now.length < before.length;
  const errors: FieldError[] = [];
  const invalid = (what: string) =>
    fieldInvalid(POLICY, printedAsJson(spec.ipFamilyPolicy), `must be 'SingleStack' to release the secondary ${what}`);
  if (reduced(clusterIPs, old.spec.clusterIPs)) errors.push(invalid('cluster IP'));
  if (reduced(ipFamilies, old.spec.ipFamilies)) errors.push(invalid('IP family'));
  return errors;
}

function checkPolicyAgainstCounts({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const invalid = (what: string) => {
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return fieldInvalid(POLICY, printedAsJson(spec.ipFamilyPolicy), detail);
  };
  return [
    ...(spec.clusterIPs?.length === 2 ? [invalid('cluster IPs')] : []),
    ...(spec.ipFamilies?.length === 2 ? [invalid('IP families')] : []),
  ];
}

/** Derives omitted families from the addresses. Mutates. */
function inferFamilies(allocators: Families, { spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const { clusterIPs = [] } = spec;
  if (clusterIPs[0] === HEADLESS) return errors;
  for (const [i, address] of clusterIPs.entries()) {
    const families = spec.ipFamilies ?? [];
    if (i < families.length) continue;
    const family = ipFamilyOf(address);
    if (allocators.clusterIPs.has(family)) spec.ipFamilies = [...families, family];
    else errors.push(fieldInvalid(CLUSTER_IPS.index(i), clusterIPs, `${family} is not configured on this cluster`));
  }
  return errors;
}

function checkConfigured(allocators: Families, { spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && allocators.clusterIPs.size < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    errors.push(fieldInvalid(POLICY, printedAsJson(spec.ipFamilyPolicy), detail));
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (allocators.clusterIPs.has(family)) continue;
    errors.push(fieldInvalid(FAMILIES.index(i), printedAsJson(family), 'not configured on this cluster'));
  }
  return errors;
}

/** The families, with the second one appended if the policy requires two. */
function withSecond({ spec }: Service, families: readonly string[]): string[] {
  if (spec.ipFamilyPolicy === 'SingleStack' || families.length !== 1) return [...families];
  const second: IPFamily = families[0] === 'IPv4' ? 'IPv6' : 'IPv4';
  return [...families, second];
}
