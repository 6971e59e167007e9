import { type FieldError, type FieldPath, fieldInvalid, withOrigin } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import {
  type CIDR,
  formatCIDR,
  formatIPAddress,
  type IPAddress,
  parseCIDR,
  parseIPAddress,
} from '@apiserver/apimachinery/values';

/** Rules for addresses and networks in fields that predate strict validation. */
export interface LegacyIPRules {
  /**
   * Refuses leading zeros, IPv4-mapped addresses and networks with bits beyond their prefix. Feature gate:
   * StrictIPCIDRValidation
   */
  readonly strict: boolean;
  /** Values of the stored object, which are always accepted. */
  readonly existing?: ReadonlySet<string>;
}

/**
 * Validates an address in a field that predates strict validation: it need not be canonical.
 * Upstream: IsValidIPForLegacyField of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function validateLegacyIP(text: string, path: FieldPath, { strict, existing }: LegacyIPRules): FieldError[] {
  if (existing?.has(text)) return [];
  return addressFaults(text, strict).map((fault) => withOrigin(fieldInvalid(path, text, fault), 'format=ip-sloppy'));
}

/**
 * Validates a network in a field that predates strict validation. A caller that has parsed it passes the result.
 * Upstream: IsValidCIDRForLegacyField of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function validateLegacyCIDR(
  text: string,
  path: FieldPath,
  { strict, existing }: LegacyIPRules,
  cidr = parseCIDR(text),
): FieldError[] {
  if (existing?.has(text)) return [];
  const faults = cidrFaults(cidr, strict);
  return faults.length === 0 ? [] : faults.map((fault) => fieldInvalid(path, text, fault));
}

/**
 * The faults of an address that must be canonical.
 * Upstream: IsValidIP of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function ipFaults(text: string): string[] {
  const faults = addressFaults(text, true);
  const canonical = formatIPAddress(parseIPAddress(text)?.bytes ?? []);
  return faults.length > 0 || text === canonical ? faults : [`must be in canonical form (${quote(canonical)})`];
}

/** Validates a network in canonical form. Upstream: IsValidCIDR of k8s.io/apimachinery/pkg/util/validation/ip.go */
export function validateCIDR(text: string, path: FieldPath): FieldError[] {
  const cidr = parseCIDR(text);
  const faults = cidrFaults(cidr, true);
  if (faults.length > 0 || cidr === undefined) return faults.map((fault) => fieldInvalid(path, text, fault));
  const canonical = formatCIDR(cidr);
  return text === canonical ? [] : [fieldInvalid(path, text, `must be in canonical form (${quote(canonical)})`)];
}

function addressFaults(text: string, strict: boolean): string[] {
  const address = parseIPAddress(text);
  if (address === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (!strict) return [];
  if (address.leadingZeros) return ['must not have leading 0s'];
  return address.mapped ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

function cidrFaults(cidr: CIDR | undefined, strict: boolean): string[] {
  if (cidr === undefined) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  if (!strict) return [];
  if (cidr.leadingZeros) return ['must not have leading 0s in IP or prefix length'];
  if (cidr.address.mapped) return ['must not have an IPv4-mapped IPv6 address'];
  return hasBitsBeyondPrefix(cidr) ? ['must not have bits set beyond the prefix length'] : [];
}

function hasBitsBeyondPrefix({ address, network }: CIDR): boolean {
  return address.bytes.length !== network.length || address.bytes.some((byte, i) => byte !== network[i]);
}

/**
 * Validates an interface address with a prefix length, in canonical form.
 * Upstream: IsValidInterfaceAddress of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function validateInterfaceAddress(text: string, path: FieldPath): FieldError[] {
  const cidr = parseCIDR(text);
  if (cidr === undefined) {
    const detail = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
    return [fieldInvalid(path, text, detail)];
  }
  const { address, prefixLength } = cidr;
  // Below 96, upstream makes a negative number of it.
  const bits = address.bytes.length === 4 && prefixLength > 32 ? prefixLength - 96 : prefixLength;
  const canonical = `${formatIPAddress(address.bytes)}/${bits}`;
  return text === canonical ? [] : [fieldInvalid(path, text, `must be in canonical form (${quote(canonical)})`)];
}

/**
 * Warnings about an accepted address in non-canonical form; none for an invalid one.
 * Upstream: GetWarningsForIP of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function warningsForIP(text: string, path: FieldPath): string[] {
  const address = parseIPAddress(text);
  if (address === undefined) return [];
  const canonical = formatIPAddress(address.bytes);
  if (address.leadingZeros || address.mapped) {
    return [`${path}: non-standard IP address ${quote(text)} is invalid: use ${quote(canonical)}`];
  }
  if (!isIPv6(address) || canonical === text) return [];
  return [`${path}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/**
 * Warnings about an accepted network in non-canonical form; none for an invalid one.
 * Upstream: GetWarningsForCIDR of k8s.io/apimachinery/pkg/util/validation/ip.go
 */
export function warningsForCIDR(text: string, path: FieldPath): string[] {
  const cidr = parseCIDR(text);
  if (cidr === undefined) return [];
  const isAmbiguous = hasBitsBeyondPrefix(cidr);
  if (!isAmbiguous && !cidr.leadingZeros && !cidr.address.mapped && !isIPv6(cidr.address)) return [];
  const canonical = formatCIDR(cidr);
  const warnings: string[] = [];
  if (isAmbiguous) {
    const single = `${formatIPAddress(cidr.address.bytes)}/${cidr.address.mapped ? 128 : cidr.address.bytes.length * 8}`;
    const choice = `${quote(canonical)} or ${quote(single)}?`;
    warnings.push(`${path}: CIDR value ${quote(text)} is ambiguous in this context (should be ${choice})`);
  }
  if (cidr.leadingZeros || cidr.address.mapped) {
    warnings.push(`${path}: non-standard CIDR value ${quote(text)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length === 0 && isIPv6(cidr.address) && canonical !== text) {
    const wanted = `should be in RFC 5952 canonical format (${quote(canonical)})`;
    warnings.push(`${path}: IPv6 CIDR value ${quote(text)} ${wanted}`);
  }
  return warnings;
}

function isIPv6({ bytes }: IPAddress): boolean {
  return bytes.length === 16;
}
