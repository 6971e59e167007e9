import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, TLSSocket } from 'node:tls';
import { messageOf } from '@apiserver/apimachinery/errors';
import {
  CertificatePool,
  certificatesIn,
  checkShownKey,
  type ParsedCertificate,
  parseCertificate,
  presentedChain,
  verifyChain,
} from '@apiserver/apimachinery/x509';

/** The expectations of a client of TLS. */
export interface ExpectedServer {
  /** PEM of the trusted authorities; "" for Node's default CAs. */
  readonly ca: string;
  /** The name or address that the certificate must have. */
  readonly host: string;
}

/** Connects by TLS to a verified server, over a socket if there is one. */
export type SecureConnection = (options: ConnectionOptions, socket?: Duplex) => TLSSocket;

/** A server's certificate that was not accepted. The message is that of Go's crypto/tls. */
class ServerCertificateError extends Error {}

/**
 * Connects by TLS. A server that is not as expected is refused by Go's rules: the socket is destroyed before others
 * hear of `secureConnect`, and nothing that was written to it is sent. Without expectations the certificates need only
 * be readable, with keys of a size that Go takes.
 */
export function connectVerified(options: ConnectionOptions, expected: ExpectedServer | undefined): TLSSocket {
  // OpenSSL judges nothing, so that it needs no authorities.
  const socket = connect({ ca: [], ...options, rejectUnauthorized: false });
  socket.prependOnceListener('secureConnect', () => {
    const fault = serverFault(socket, expected);
    if (fault !== undefined) socket.destroy(fault);
  });
  return socket;
}

/** The fault of the server at the other end of a connection by TLS; undefined if it is as expected. */
export function serverFault(socket: Duplex, expected: ExpectedServer | undefined): Error | undefined {
  try {
    checkServer(socket, expected);
    return undefined;
  } catch (error) {
    return new ServerCertificateError(messageOf(error));
  }
}

function checkServer(socket: Duplex, expected: ExpectedServer | undefined): void {
  const chain = withPrefix('tls: failed to parse certificate from server: ', () => shownChain(socket));
  const [leaf, ...intermediates] = chain;
  if (leaf === undefined) throw new ServerCertificateError('tls: received empty certificates message');
  for (const certificate of chain) checkShownKey(certificate, 'server');
  if (expected === undefined) return;
  withPrefix('tls: failed to verify certificate: ', () =>
    verifyChain(leaf, {
      roots: rootsOf(expected.ca),
      intermediates: new CertificatePool(intermediates),
      now: Date.now(),
      usage: 'serverAuth',
      host: expected.host,
    }),
  );
}

function shownChain(socket: Duplex): readonly ParsedCertificate[] {
  if (!(socket instanceof TLSSocket)) return [];
  const chain = presentedChain(socket.getPeerX509Certificate()).map(parseCertificate);
  // Upstream reads the names of each certificate with the rest of it.
  for (const certificate of chain) certificate.alternativeNames();
  return chain;
}

function withPrefix<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new ServerCertificateError(prefix + messageOf(error));
  }
}

/** Maximum number of bundles that are kept. A bundle of a megabyte takes milliseconds. */
const MAX_BUNDLES = 32;

/** Authorities by their PEM, in the order of their first use. */
const bundles = new Map<string, CertificatePool>();

function rootsOf(ca: string): CertificatePool {
  const known = bundles.get(ca);
  if (known !== undefined) return known;
  const roots = new CertificatePool(certificatesIn(ca === '' ? defaultAuthorities() : ca));
  const [oldest] = bundles.keys();
  if (bundles.size >= MAX_BUNDLES && oldest !== undefined) bundles.delete(oldest);
  bundles.set(ca, roots);
  return roots;
}

/** An older Node lacks the function: a named import would fail before the guard of the entry point tells its version. */
function defaultAuthorities(): string {
  return process.getBuiltinModule('node:tls').getCACertificates('default').join('\n');
}
