import { Buffer } from 'node:buffer';
import { atOnce } from '../../clock/index.js';
import { errorOf } from '../../errors/index.js';
import { quote } from '../../text/index.js';
import { formatTime } from '../../values/index.js';
import type { ParsedCertificate } from './certificate.js';
import { CertificateError } from './certificate-error.js';
import type { CertificatePool } from './certificate-pool.js';
import { checkHost } from './check-host.js';
import { checkNameConstraints } from './check-name-constraints.js';
import { checkSignature, hasKnownKey } from './signature.js';

const ANY_USAGE = '2.5.29.37.0';
const USAGES = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** Maximum number of signature checks for one certificate. Upstream: maxChainSignatureChecks of crypto/x509 */
const MAX_SIGNATURE_CHECKS = 100;
/** The same in one turn of the event loop: a signature of P-521 takes two milliseconds. */
const MAX_SIGNATURE_CHECKS_AT_ONCE = 32;

/** Input of `verifyChainSteps` beside the certificate. */
export interface VerifyOptions {
  readonly roots: CertificatePool;
  readonly intermediates: CertificatePool;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly usage: keyof typeof USAGES;
  /** The name or address that the certificate must have. Default: any. */
  readonly host?: string;
}

/** A path from a certificate to a trusted root, and the earliest expiry on the path. */
export interface VerifiedChain {
  readonly certificates: readonly ParsedCertificate[];
  readonly notAfter: number;
}

type Path = readonly ParsedCertificate[];

/** As `verifyChainSteps`, in one turn of the event loop, and with at most 32 checks of signatures. */
export function verifyChain(leaf: ParsedCertificate, options: VerifyOptions): VerifiedChain {
  return atOnce(verify(leaf, { ...options, checksLeft: MAX_SIGNATURE_CHECKS_AT_ONCE }));
}

/**
 * Finds a path from `leaf` to a root that is valid now and for the usage, in steps of one candidate each. If there is
 * none, throws an Error with Go's reason. Policies are not judged: a certificate that limits them is refused.
 * Upstream: crypto/x509.Certificate.Verify
 */
export function verifyChainSteps(leaf: ParsedCertificate, options: VerifyOptions): Generator<void, VerifiedChain> {
  return verify(leaf, { ...options, checksLeft: MAX_SIGNATURE_CHECKS });
}

interface Search extends VerifyOptions {
  checksLeft: number;
}

function* verify(leaf: ParsedCertificate, search: Search): Generator<void, VerifiedChain> {
  checkAlone(leaf, search.now);
  if (search.host !== undefined) checkHost(leaf, search.host);
  const paths = search.roots.has(leaf) ? [[leaf]] : yield* pathsFrom([leaf], search);
  const certificates = yield* usablePath(paths, USAGES[search.usage]);
  return { certificates, notAfter: Math.min(...certificates.map(({ notAfter }) => notAfter)) };
}

/** The first path that allows the usage and the names. Throws a CertificateError if there is none. */
function* usablePath(paths: readonly Path[], usage: string): Generator<void, Path> {
  let failure: Error | undefined;
  for (const path of paths) {
    yield;
    if (!allowsUsage(path, usage)) continue;
    try {
      checkNameConstraints(path);
      return path;
    } catch (error) {
      failure ??= errorOf(error);
    }
  }
  throw failure ?? new CertificateError('x509: certificate specifies an incompatible key usage');
}

/** A search that may not go on. */
class SearchLimitError extends CertificateError {}

/**
 * All paths to roots that begin with `path`, those to roots first. Throws Go's error if there is none: the last fault
 * of a candidate, or else that the authority is unknown.
 */
function* pathsFrom(path: Path, search: Search): Generator<void, readonly Path[]> {
  const last = path.at(-1);
  if (last === undefined) return [];
  const found: Path[] = [];
  const hint = new UnknownAuthority();
  let failure: Error | undefined;
  for (const kind of ['roots', 'intermediates'] as const) {
    for (const candidate of search[kind].issuersOf(last)) {
      yield;
      if (--search.checksLeft < 0) return orThrow(found, limitReached());
      if (!hasKnownKey(candidate) || isInPath(candidate, path)) continue;
      if (!hint.tried(candidate, () => checkSignature(last, candidate))) continue;
      failure = faultOf(() => checkAuthority(candidate, path, kind, search.now));
      if (failure !== undefined) {
        hint.note(candidate, failure);
        continue;
      }
      const longer = [...path, candidate];
      const further = kind === 'roots' ? [longer] : yield* pathsOrFault(longer, search);
      if (further instanceof SearchLimitError) return orThrow(found, further);
      if (further instanceof Error) failure = further;
      else found.push(...further);
    }
  }
  return orThrow(found, failure ?? hint.error());
}

function* pathsOrFault(path: Path, search: Search): Generator<void, readonly Path[] | Error> {
  try {
    return yield* pathsFrom(path, search);
  } catch (error) {
    return errorOf(error);
  }
}

function orThrow(found: readonly Path[], failure: Error): readonly Path[] {
  if (found.length === 0) throw failure;
  return found;
}

function limitReached(): Error {
  return new SearchLimitError('x509: signature check attempts limit reached while verifying certificate chain');
}

/** Remembers the first fault of an issuer by name. Upstream: UnknownAuthorityError of crypto/x509 */
class UnknownAuthority {
  #fault: Error | undefined;
  #candidate: ParsedCertificate | undefined;

  /** Reports whether a check throws nothing. */
  tried(candidate: ParsedCertificate, check: () => void): boolean {
    const fault = faultOf(check);
    if (fault !== undefined) this.note(candidate, fault);
    return fault === undefined;
  }

  note(candidate: ParsedCertificate, fault: Error): void {
    this.#fault ??= fault;
    this.#candidate ??= candidate;
  }

  error(): Error {
    const unknown = 'x509: certificate signed by unknown authority';
    if (this.#fault === undefined || this.#candidate === undefined) return new CertificateError(unknown);
    const { commonName, organizations, x509 } = this.#candidate;
    const name = [commonName, organizations[0]].find((part) => part) ?? `serial:${BigInt(`0x${x509.serialNumber}`)}`;
    return new CertificateError(
      `${unknown} (possibly because of ${quote(this.#fault.message)} ` +
        `while trying to verify candidate authority certificate ${quote(name)})`,
    );
  }
}

function faultOf(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return errorOf(error);
  }
}

function checkAlone(certificate: ParsedCertificate, now: number): void {
  if (certificate.unknownCriticalExtensions.length > 0) {
    throw new CertificateError('x509: unhandled critical extension');
  }
  if (now < certificate.notBefore) throw expired(`${formatTime(now)} is before ${formatTime(certificate.notBefore)}`);
  if (now > certificate.notAfter) throw expired(`${formatTime(now)} is after ${formatTime(certificate.notAfter)}`);
}

function expired(detail: string): Error {
  return new CertificateError(`x509: certificate has expired or is not yet valid: current time ${detail}`);
}

function checkAuthority(issuer: ParsedCertificate, path: Path, kind: 'roots' | 'intermediates', now: number): void {
  const { basicConstraints } = issuer;
  checkAlone(issuer, now);
  if (kind === 'intermediates' && !basicConstraints?.isAuthority) {
    throw new CertificateError('x509: certificate is not authorized to sign other certificates');
  }
  if (path.length - 1 > (basicConstraints?.pathLength ?? Number.POSITIVE_INFINITY)) {
    throw new CertificateError('x509: too many intermediates for path length constraint');
  }
}

/** Reports whether the path has the holder of the certificate already. Upstream: alreadyInChain of crypto/x509 */
function isInPath(candidate: ParsedCertificate, path: Path): boolean {
  const namesake = path.filter(
    ({ subject, publicKeyInfo }) =>
      Buffer.compare(subject, candidate.subject) === 0 && Buffer.compare(publicKeyInfo, candidate.publicKeyInfo) === 0,
  );
  for (const { alternativeNamesValue: names } of namesake) {
    const own = candidate.alternativeNamesValue;
    if (names === undefined || own === undefined) return names === own;
    if (Buffer.compare(names, own) === 0) return true;
  }
  return false;
}

/** Every certificate of the path must allow the usage; one that lists none allows every one. */
function allowsUsage(path: Path, usage: string): boolean {
  return path.every(
    ({ extendedKeyUsage: uses = [] }) => uses.length === 0 || uses.includes(ANY_USAGE) || uses.includes(usage),
  );
}
