import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { presentedChain } from '@apiserver/apimachinery/x509';
import type { PeerCertificates } from '@apiserver/apiserver-contracts';

/** The properties that all requests of a connection share. */
export class Connection {
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
  readonly secure: boolean;
  readonly #socket: Socket;
  #peer: PeerCertificates | undefined = undefined;
  #peerRead = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.remoteAddress = unmapped(socket.remoteAddress ?? '');
    this.remotePort = socket.remotePort;
    this.secure = isTlsSocket(socket);
  }

  /** The client's certificates; undefined without one. */
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
  const chain = presentedChain(socket.getPeerX509Certificate());
  return chain.length === 0 ? undefined : { chain, memo: new Map() };
}

function isTlsSocket(socket: Socket): socket is TLSSocket {
  // A read, because the socket of an HTTP/2 session is a proxy without a `has` trap.
  return Reflect.get(socket, 'encrypted') === true;
}

/** The IPv4 address of an IPv4-mapped IPv6 address. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
