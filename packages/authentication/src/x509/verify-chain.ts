import { Buffer } from 'node:buffer';
import { errorOf } from '@apiserver/apimachinery/errors';
import { CertificateError } from './certificate-error.js';
import { checkNameConstraints } from './check-name-constraints.js';
import type { ParsedCertificate } from './client-certificate.js';

const usage = { any: '2.5.29.37.0', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/**
 * Maximum number of signature checks per client; more indicates an attack. Upstream:
 * crypto/x509.maxChainSignatureChecks
 */
const MAX_SIGNATURE_CHECKS = 100;

/** Input of `verifyChain` beside the certificate. */
export interface VerifyOptions {
  readonly roots: readonly ParsedCertificate[];
  readonly intermediates: readonly ParsedCertificate[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A path from a client's certificate to a trusted root, and the earliest expiry on the path. */
export interface VerifiedChain {
  readonly certificates: readonly ParsedCertificate[];
  readonly notAfter: number;
}

/**
 * Finds a path from `leaf` to a root that is valid now and for client authentication. If there is none, throws an
 * Error with the reason, which goes to the log and never to the client.
 * Upstream: crypto/x509.Certificate.Verify with ExtKeyUsageClientAuth
 */
export function verifyChain(leaf: ParsedCertificate, options: VerifyOptions): VerifiedChain {
  checkAlone(leaf, options.now);
  const search: Search = { ...options, checks: 0, failure: undefined };
  const certificates = isRoot(leaf, options.roots) ? ownPath(leaf, search) : extend([leaf], search);
  if (certificates === undefined) {
    throw search.failure ?? new Error('x509: certificate signed by unknown authority');
  }
  return { certificates, notAfter: Math.min(...certificates.map(({ notAfter }) => notAfter)) };
}

interface Search extends VerifyOptions {
  checks: number;
  failure: Error | undefined;
}

/**
 * Searches depth first, roots before intermediates, for issuers that name-match and sign the path's last certificate.
 */
function extend(path: readonly ParsedCertificate[], search: Search): readonly ParsedCertificate[] | undefined {
  const last = path.at(-1);
  if (last === undefined) return undefined;
  for (const root of search.roots) {
    if (!mayFollow(root, path, search) || !signed(last, root, search)) continue;
    const complete = [...path, root];
    if (isUsable(complete, search)) return complete;
  }
  for (const intermediate of search.intermediates) {
    if (isRoot(intermediate, path) || !mayFollow(intermediate, path, search)) continue;
    if (!signed(last, intermediate, search)) continue;
    const found = extend([...path, intermediate], search);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of a client whose certificate is trusted itself. Its use is not checked. */
function ownPath(leaf: ParsedCertificate, search: Search): readonly ParsedCertificate[] | undefined {
  return areNamesAllowed([leaf], search) ? [leaf] : undefined;
}

function isUsable(path: readonly ParsedCertificate[], search: Search): boolean {
  if (!goodForClients(path)) {
    search.failure ??= new CertificateError('x509: certificate specifies an incompatible key usage');
    return false;
  }
  return areNamesAllowed(path, search);
}

function areNamesAllowed(path: readonly ParsedCertificate[], search: Search): boolean {
  try {
    checkNameConstraints(path);
    return true;
  } catch (error) {
    search.failure = errorOf(error);
    return false;
  }
}

function mayFollow(issuer: ParsedCertificate, path: readonly ParsedCertificate[], search: Search): boolean {
  const last = path.at(-1);
  if (last === undefined || !last.x509.checkIssued(issuer.x509)) return false;
  try {
    checkAlone(issuer, search.now);
    checkAuthority(issuer, path.length - 1);
  } catch (error) {
    search.failure = errorOf(error);
    return false;
  }
  return true;
}

function checkAlone(certificate: ParsedCertificate, now: number): void {
  if (certificate.unknownCriticalExtensions.length > 0) throw new Error('x509: unhandled critical extension');
  if (now < certificate.notBefore) {
    throw expired(`current time ${time(now)} is before ${time(certificate.notBefore)}`);
  }
  if (now > certificate.notAfter) throw expired(`current time ${time(now)} is after ${time(certificate.notAfter)}`);
}

function checkAuthority(issuer: ParsedCertificate, authoritiesBelow: number): void {
  if (!issuer.isAuthority || !issuer.maySignCertificates) {
    throw new Error('x509: certificate is not authorized to sign other certificates');
  }
  if (issuer.pathLength !== undefined && authoritiesBelow > issuer.pathLength) {
    throw new Error('x509: too many intermediates for path length constraint');
  }
}

function signed(certificate: ParsedCertificate, issuer: ParsedCertificate, search: Search): boolean {
  if (++search.checks > MAX_SIGNATURE_CHECKS) throw new Error('x509: signature check attempts limit reached');
  return certificate.x509.verify(issuer.x509.publicKey);
}

/** Every certificate of the path must allow client authentication; one without the extension allows every use. */
function goodForClients(path: readonly ParsedCertificate[]): boolean {
  return path.every(
    ({ extendedKeyUsage: uses }) => uses === undefined || uses.includes(usage.any) || uses.includes(usage.clientAuth),
  );
}

function isRoot(certificate: ParsedCertificate, roots: readonly ParsedCertificate[]): boolean {
  return roots.some((root) => Buffer.compare(root.der, certificate.der) === 0);
}

function expired(detail: string): Error {
  return new Error(`x509: certificate has expired or is not yet valid: ${detail}`);
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
