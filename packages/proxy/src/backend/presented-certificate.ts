import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { checkServerIdentity as checkNames, type PeerCertificate, TLSSocket } from 'node:tls';
import { quote } from '@apiserver/apimachinery/text';
import { formatTime } from '@apiserver/apimachinery/values';
import { readPemBlocks } from '@apiserver/apimachinery/x509';

/** An error of a handshake, with the certificate of the server that was not accepted. */
interface HandshakeError extends Error {
  presented?: { readonly certificate: X509Certificate; readonly ca: string };
}

/**
 * Keeps the certificate of a server for the text of a failed handshake: Node's errors lack it. Call it at once when
 * the socket has been made. `ca` is PEM of the trusted authorities.
 */
export function keepPresentedCertificate(socket: Socket, ca: string): void {
  if (!(socket instanceof TLSSocket) || !socket.connecting) return;
  // Before Node's own listener, which destroys the socket.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return;
    const keep = (error: HandshakeError) => {
      error.presented = { certificate, ca };
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

/** The period of validity that a certificate has missed, as text after "x509: ". Upstream: CertificateInvalidError */
export function expiredText({ presented }: HandshakeError): string {
  const text = 'certificate has expired or is not yet valid';
  if (presented === undefined) return text;
  const { validFromDate, validToDate } = presented.certificate;
  const now = new Date();
  if (now < validFromDate)
    return `${text}: current time ${formatTime(now.getTime())} is before ${formatTime(validFromDate.getTime())}`;
  if (now > validToDate)
    return `${text}: current time ${formatTime(now.getTime())} is after ${formatTime(validToDate.getTime())}`;
  return text;
}

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
export function unknownAuthorityText({ presented }: HandshakeError): string {
  const text = 'certificate signed by unknown authority';
  const candidate = presented && namesakeOfIssuer(presented.certificate, presented.ca);
  const failure = SIGNATURE_FAILURES[candidate?.publicKey.asymmetricKeyType ?? ''];
  if (candidate === undefined || failure === undefined) return text;
  return `${text} (${hint(failure, candidate)})`;
}

/** Upstream: InsecureAlgorithmError of Go's crypto/x509, as the hint of an UnknownAuthorityError */
export function weakDigestText({ presented }: HandshakeError): string {
  const text = 'certificate signed by unknown authority';
  const candidate = presented && namesakeOfIssuer(presented.certificate, presented.ca);
  if (candidate === undefined) return text;
  const algorithm = candidate.publicKey.asymmetricKeyType === 'ec' ? 'ECDSA-SHA1' : 'SHA1-RSA';
  return `${text} (${hint(`x509: cannot verify signature: insecure algorithm ${algorithm}`, candidate)})`;
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
