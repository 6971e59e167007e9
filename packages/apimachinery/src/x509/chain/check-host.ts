import { Buffer } from 'node:buffer';
import { isIP } from 'node:net';
import { parseIPAddress } from '../../values/index.js';
import { formatAddress, ipv4Of } from './alternative-names.js';
import type { ParsedCertificate } from './certificate.js';
import { CertificateError } from './certificate-error.js';

/** From this many names on, an error shows only their number. Upstream: maxNamesIncluded of crypto/x509 */
const MAX_SHOWN_NAMES = 100;

/**
 * Checks that a certificate is for a name, or for an address in the form of a host. The common name does not count.
 * Throws a CertificateError.
 * Upstream: VerifyHostname of crypto/x509
 */
export function checkHost(certificate: ParsedCertificate, host: string): void {
  const { dnsNames = [], addresses = [] } = certificate.alternativeNames() ?? {};
  const literal = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isAddress(literal)) {
    const wanted = Uint8Array.from(parseIPAddress(literal)?.bytes ?? []);
    if (addresses.some((address) => Buffer.compare(ipv4Of(address) ?? address, wanted) === 0)) return;
    throw otherHost(certificate, literal, addressFault(literal, addresses));
  }
  const name = lowerCase(host);
  const isName = isHostname(withoutDot(name));
  if (dnsNames.some((pattern) => matches(pattern, name, isName))) return;
  throw otherHost(certificate, host, nameFault(host, dnsNames));
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Wildcards and a final dot count in valid names; other names must be equal. */
function matches(pattern: string, name: string, isName: boolean): boolean {
  if (isName && isHostname(pattern.replace(/^\*\./, 'x.'))) return matchesLabels(pattern, name);
  return pattern !== '' && pattern !== '.' && lowerCase(pattern) === name && name !== '.';
}

function matchesLabels(pattern: string, name: string): boolean {
  const labels = withoutDot(lowerCase(name)).split('.');
  const parts = lowerCase(pattern).split('.');
  if (pattern === '' || parts.length !== labels.length) return false;
  return parts.every((part, index) => (index === 0 && part === '*') || part === labels[index]);
}

/** Upstream: validHostname of crypto/x509 */
function isHostname(name: string): boolean {
  return name.split('.').every((label) => /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(label));
}

function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** ASCII letters alone. */
function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function otherHost(certificate: ParsedCertificate, host: string, fault: string): Error {
  const isLegacy = certificate.alternativeNamesValue === undefined && matchesLabels(certificate.commonName, host);
  return new CertificateError(
    `x509: ${isLegacy ? 'certificate relies on legacy Common Name field, use SANs instead' : fault}`,
  );
}

function addressFault(host: string, addresses: readonly Uint8Array[]): string {
  if (addresses.length === 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  if (addresses.length >= MAX_SHOWN_NAMES) {
    return `certificate is valid for ${addresses.length} IP SANs, but none matched ${host}`;
  }
  return validFor(addresses.map(formatAddress), host);
}

function nameFault(host: string, names: readonly string[]): string {
  if (names.length >= MAX_SHOWN_NAMES) {
    return `certificate is valid for ${names.length} names, but none matched ${host}`;
  }
  return validFor(names, host);
}

function validFor(names: readonly string[], host: string): string {
  const listed = names.join(', ');
  if (listed === '') return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${listed}, not ${host}`;
}
