import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type SecureContextOptions, type TLSSocket } from 'node:tls';

/** A connecting socket, and the event that signals that it is usable. */
export interface ConnectingSocket {
  readonly socket: Socket;
  readonly connected: 'connect' | 'secureConnect';
}

export interface SocketTarget {
  /** `http://host:port` or `https://host:port`. */
  readonly url: URL;
  /** A unix socket, instead of the network. */
  readonly socketPath?: string | undefined;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
}

/** Begins to connect; failures are errors of the socket. */
export function openSocket({ url, socketPath, tls }: SocketTarget): ConnectingSocket {
  if (socketPath !== undefined) return { socket: connect(socketPath), connected: 'connect' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:') {
    return { socket: connect({ host, port: Number(url.port || 80) }), connected: 'connect' };
  }
  // An address is not a valid server name.
  const servername = isIP(host) === 0 ? host : '';
  const socket = connectSecurely({ ...tls, host, port: Number(url.port || 443), servername, ALPNProtocols: ['h2'] });
  socket.once('secureConnect', () => checkProtocol(socket));
  return { socket, connected: 'secureConnect' };
}

function checkProtocol(socket: TLSSocket): void {
  if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'));
}
