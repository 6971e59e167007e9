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
 * The error about the name of a certificate whose chain was refused, if its period of validity is not at fault. Go looks
 * at the period, the names and the authorities in this order; OpenSSL begins with the authorities.
 */
export function nameFault({ presented }: HandshakeError): Error | undefined {
  if (presented === undefined || periodFault(presented.certificate) !== undefined) return undefined;
  return checkServerIdentity(presented.host, presented.certificate.toLegacyObject());
}

const EXPIRED = 'certificate has expired or is not yet valid';

/**
 * The text after "x509: " for a certificate that is not valid now, or whose authority is not. Upstream:
 * CertificateInvalidError
 */
export function expiredText({ presented }: HandshakeError): string {
  if (presented === undefined) return EXPIRED;
  const { certificate, ca } = presented;
  const candidate = periodFault(certificate) === undefined ? namesakeOfIssuer(certificate, ca) : undefined;
  if (candidate === undefined) return periodFault(certificate) ?? EXPIRED;
  return `${UNKNOWN_AUTHORITY} (${hint(`x509: ${periodFault(candidate) ?? EXPIRED}`, candidate)})`;
}

/** The period of validity that a certificate misses. */
function periodFault({ validFromDate, validToDate }: X509Certificate): string | undefined {
  const now = new Date();
  const isEarly = now < validFromDate;
  if (!isEarly && now <= validToDate) return undefined;
  const side = isEarly ? `before ${formatTime(validFromDate.getTime())}` : `after ${formatTime(validToDate.getTime())}`;
  return `${EXPIRED}: current time ${formatTime(now.getTime())} is ${side}`;
}

const UNKNOWN_AUTHORITY = 'certificate signed by unknown authority';

/** Failures of a signature, by the type of the key. Upstream: checkSignature of Go's crypto/x509 */
const SIGNATURE_FAILURES: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

/**
 * The text after "x509: " for a certificate that no trusted authority has signed. It names an authority that has the
 * name of the issuer, but another key. Upstream: UnknownAuthorityError
 */
export function unknownAuthorityText(error: HandshakeError): string {
  const { presented } = error;
  if (presented !== undefined && periodFault(presented.certificate) !== undefined) return expiredText(error);
  const candidate = presented && namesakeOfIssuer(presented.certificate, presented.ca);
  const failure = SIGNATURE_FAILURES[candidate?.publicKey.asymmetricKeyType ?? ''];
  if (candidate === undefined || failure === undefined) return UNKNOWN_AUTHORITY;
  return `${UNKNOWN_AUTHORITY} (${hint(failure, candidate)})`;
}

/** Upstream: InsecureAlgorithmError of Go's crypto/x509, as the hint of an UnknownAuthorityError */
export function weakDigestText(error: HandshakeError): string {
  const { presented } = error;
  if (presented !== undefined && periodFault(presented.certificate) !== undefined) return expiredText(error);
  const candidate = presented && namesakeOfIssuer(presented.certificate, presented.ca);
  if (candidate === undefined) return UNKNOWN_AUTHORITY;
  const algorithm = candidate.publicKey.asymmetricKeyType === 'ec' ? 'ECDSA-SHA1' : 'SHA1-RSA';
  return `${UNKNOWN_AUTHORITY} (${hint(`x509: cannot verify signature: insecure algorithm ${algorithm}`, candidate)})`;
}

/** The failure of one possible issuer. */
function hint(failure: string, candidate: X509Certificate): string {
  const { CN, O: organization } = candidate.toLegacyObject().subject;
  const name = [CN, organization].flat().find((part) => part) ?? `serial:${BigInt(`0x${candidate.serialNumber}`)}`;
  return `possibly because of ${quote(failure)} while trying to verify candidate authority certificate ${quote(name)}`;
}

function namesakeOfIssuer({ issuer }: X509Certificate, ca: string): X509Certificate | undefined {
  for (const { bytes } of readPemBlocks(ca)) {
    try {
      const candidate = new X509Certificate(bytes);
      if (candidate.subject === issuer) return candidate;
    } catch {
      // Not a certificate.
    }
  }
  return undefined;
}
