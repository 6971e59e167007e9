import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type SecureContextOptions, type TLSSocket } from 'node:tls';

/** A socket that connects, and the event that tells when it may be used. */
export interface ConnectingSocket {
  readonly socket: Socket;
  readonly connected: 'connect' | 'secureConnect';
}

export interface SocketTarget {
  /** `http://host:port` or `https://host:port`. */
  readonly url: URL;
  /** A unix socket, in the place of the network. */
  readonly socketPath?: string | undefined;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
}

/** Begins to connect; what fails is the socket's error. */
export function openSocket({ url, socketPath, tls }: SocketTarget): ConnectingSocket {
  if (socketPath !== undefined) return { socket: connect(socketPath), connected: 'connect' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:') {
    return { socket: connect({ host, port: Number(url.port || 80) }), connected: 'connect' };
  }
  // An address is no server name.
  const servername = isIP(host) === 0 ? host : '';
  const socket = connectSecurely({ ...tls, host, port: Number(url.port || 443), servername, ALPNProtocols: ['h2'] });
  socket.once('secureConnect', () => checkProtocol(socket));
  return { socket, connected: 'secureConnect' };
}

function checkProtocol(socket: TLSSocket): void {
  if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'));
}
