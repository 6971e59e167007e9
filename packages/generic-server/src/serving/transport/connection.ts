import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificates } from '@apiserver/apiserver-contracts';

/** What all requests of a connection share, worked out once. */
export class Connection {
  readonly remoteAddress: string;
  readonly secure: boolean;
  readonly #socket: Socket;
  #peer: PeerCertificates | undefined = undefined;
  #peerRead = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.remoteAddress = unmapped(socket.remoteAddress ?? '');
    this.secure = isTlsSocket(socket);
  }

  /** The client's certificates; undefined when it showed none. */
  get peerCertificates(): PeerCertificates | undefined {
    if (!this.#peerRead) {
      this.#peerRead = true;
      this.#peer = readPeer(this.#socket);
    }
    return this.#peer;
  }
}

function readPeer(socket: Socket): PeerCertificates | undefined {
  if (!isTlsSocket(socket)) return undefined;
  const chain: Uint8Array[] = [];
  const seen = new Set<string>();
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (certificate !== undefined && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    chain.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  return chain.length === 0 ? undefined : { chain, memo: new Map() };
}

function isTlsSocket(socket: Socket): socket is TLSSocket {
  // Read, not looked for: the socket of an HTTP/2 session is a proxy that only knows how to read.
  return Reflect.get(socket, 'encrypted') === true;
}

/** An IPv4 client of a dual-stack socket by its IPv4 address. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
