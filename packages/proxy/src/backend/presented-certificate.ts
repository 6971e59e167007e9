import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { checkServerIdentity as checkNames, type PeerCertificate, TLSSocket } from 'node:tls';
import { quote } from '@apiserver/apimachinery/text';
import { formatTime } from '@apiserver/apimachinery/values';
import { readPemBlocks } from '@apiserver/apimachinery/x509';

/** The expectations of a client of TLS. */
export interface ExpectedServer {
  /** PEM of the trusted authorities. */
  readonly ca: string;
  /** The name or address that the certificate must have. */
  readonly host: string;
}

/** A certificate that was not accepted. */
interface PresentedCertificate extends ExpectedServer {
  readonly certificate: X509Certificate;
}

/** An error of a handshake, with the certificate of the server. */
interface HandshakeError extends Error {
  presented?: PresentedCertificate;
}

/**
 * Keeps the certificate of a server for the text of a failed handshake: Node's errors lack it. Call it at once when
 * the socket has been made.
 */
export function keepPresentedCertificate(socket: Socket, expected: ExpectedServer): void {
  if (!(socket instanceof TLSSocket) || !socket.connecting) return;
  // Before Node's own listener, which destroys the socket.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return;
    const keep = (error: HandshakeError) => {
      error.presented = { certificate, ...expected };
    };
    socket.prependOnceListener('error', keep);
    socket.once('secureConnect', () => socket.off('error', keep));
  });
}

/** A certificate without alternative names has no name, as in Go. Node would take the common name. */
export function checkServerIdentity(host: string, cert: PeerCertificate): Error | undefined {
  const mismatch = checkNames(host, cert);
  if (mismatch !== undefined || (cert.subjectaltname ?? '') !== '') return mismatch;
  return Object.assign(new Error('The certificate has no alternative names'), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host,
    cert: { ...cert, subject: { CN: host } },
  });
}

/**
 * The error about the name of a certificate whose chain was refused, if its period of validity is not at fault. Go
 * looks at the period, the names and the authorities in this order; OpenSSL begins with the authorities.
 */
export function nameFault({ presented }: HandshakeError): Error | undefined {
  if (presented === undefined || periodFault(presented.certificate) !== undefined) return undefined;
  return checkServerIdentity(presented.host, presented.certificate.toLegacyObject());
}

const EXPIRED = 'certificate has expired or is not yet valid';
const UNKNOWN_AUTHORITY = 'certificate signed by unknown authority';
/** Longer chains are not looked through. */
const MAX_LINKS = 8;

/** The period of validity that a certificate misses. Upstream: CertificateInvalidError of Go's crypto/x509 */
function periodFault({ validFromDate, validToDate }: X509Certificate): string | undefined {
  const now = new Date();
  const isEarly = now < validFromDate;
  if (!isEarly && now <= validToDate) return undefined;
  const side = isEarly ? `before ${formatTime(validFromDate.getTime())}` : `after ${formatTime(validToDate.getTime())}`;
  return `${EXPIRED}: current time ${formatTime(now.getTime())} is ${side}`;
}

/** The text after "x509: " for a certificate that is not valid now, or whose authority is not. */
export function expiredText({ presented }: HandshakeError): string {
  return presented === undefined ? EXPIRED : (chainFault(presented) ?? EXPIRED);
}

/** The text after "x509: " for a certificate that no trusted authority has signed. */
export function unknownAuthorityText({ presented }: HandshakeError): string {
  return presented === undefined ? UNKNOWN_AUTHORITY : (chainFault(presented) ?? UNKNOWN_AUTHORITY);
}

/** The text after "x509: " for a certificate that is not for servers. Go looks at the chain first. */
export function wrongUsageText({ presented }: HandshakeError): string {
  return (presented && chainFault(presented)) ?? 'certificate specifies an incompatible key usage';
}

/** The text after "x509: " for a signature that Go does not verify. Upstream: InsecureAlgorithmError */
export function weakDigestText({ presented }: HandshakeError): string {
  const fault = presented && periodFault(presented.certificate);
  if (fault !== undefined) return fault;
  const candidate = presented && namesakesOfIssuer(presented.certificate, authoritiesIn(presented.ca))[0];
  if (candidate === undefined) return UNKNOWN_AUTHORITY;
  const algorithm = candidate.publicKey.asymmetricKeyType === 'ec' ? 'ECDSA-SHA1' : 'SHA1-RSA';
  return unknownAuthority(`x509: cannot verify signature: insecure algorithm ${algorithm}`, candidate);
}

/**
 * The fault of a certificate, or of those above it up to a trusted authority. Those of the machine are not looked at.
 */
function chainFault({ certificate, ca }: PresentedCertificate): string | undefined {
  const fault = periodFault(certificate);
  if (fault !== undefined || ca === '') return fault;
  const authorities = authoritiesIn(ca);
  let link = certificate;
  for (let links = 0; links < MAX_LINKS; links++) {
    const signed = link;
    const candidates = namesakesOfIssuer(signed, authorities);
    const issuer = candidates.find(({ publicKey }) => signed.verify(publicKey));
    if (issuer !== undefined) return periodFault(issuer);
    const [candidate] = candidates;
    const failure = candidate && SIGNATURE_FAILURES[candidate.publicKey.asymmetricKeyType ?? ''];
    if (candidate !== undefined && failure !== undefined) return unknownAuthority(failure, candidate);
    if (signed.issuerCertificate === undefined) break;
    link = signed.issuerCertificate;
  }
  return UNKNOWN_AUTHORITY;
}

/** Failures of a signature, by the type of the key. Upstream: checkSignature of Go's crypto/x509 */
const SIGNATURE_FAILURES: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

/** Names an authority that has the name of the issuer, but another key. Upstream: UnknownAuthorityError */
function unknownAuthority(failure: string, candidate: X509Certificate): string {
  const { CN, O: organization } = candidate.toLegacyObject().subject;
  const name = [CN, organization].flat().find((part) => part) ?? `serial:${BigInt(`0x${candidate.serialNumber}`)}`;
  return (
    `${UNKNOWN_AUTHORITY} (possibly because of ${quote(failure)} ` +
    `while trying to verify candidate authority certificate ${quote(name)})`
  );
}

function namesakesOfIssuer({ issuer }: X509Certificate, authorities: readonly X509Certificate[]): X509Certificate[] {
  return authorities.filter(({ subject }) => subject === issuer);
}

/** Parsing a bundle of a megabyte takes tens of milliseconds. */
function authoritiesIn(ca: string): X509Certificate[] {
  const found: X509Certificate[] = [];
  for (const { bytes } of readPemBlocks(ca)) {
    try {
      found.push(new X509Certificate(bytes));
    } catch {
      // Not a certificate.
    }
  }
  return found;
}
