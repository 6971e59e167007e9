import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecurely, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { DialledSocket, type SocketDialer } from './dialled-socket.js';

/** A connecting socket, and the event that signals that it is usable. */
export interface ConnectingSocket {
  readonly socket: Duplex;
  readonly connected: 'connect' | 'secureConnect';
}

/** The server to connect to. */
export interface SocketTarget {
  /** `http://host:port` or `https://host:port`. */
  readonly url: URL;
  /** A unix socket, instead of the network. */
  readonly socketPath?: string | undefined;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  /** Opens connections to hosts. Default: TCP from this machine. */
  readonly dial?: SocketDialer | undefined;
}

/** Begins to connect; failures are errors of the socket. */
export function openSocket({ url, socketPath, tls, dial }: SocketTarget): ConnectingSocket {
  if (socketPath !== undefined) return { socket: connect(socketPath), connected: 'connect' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  const dialled = dial && new DialledSocket((signal) => dial({ hostname: host, port }, signal));
  if (!isSecure) return { socket: dialled ?? connect({ host, port }), connected: 'connect' };
  // An address is not a valid server name.
  const servername = isIP(host) === 0 ? host : '';
  const way = dialled === undefined ? { port } : { socket: dialled };
  const socket = connectSecurely({ ...tls, host, ...way, servername, ALPNProtocols: ['h2'] });
  socket.once('secureConnect', () => checkProtocol(socket));
  return { socket, connected: 'secureConnect' };
}

function checkProtocol(socket: TLSSocket): void {
  if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'));
}
