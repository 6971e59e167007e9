import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/**
 * Hands connections that come to certain addresses of a server to other servers, which have certificates of their own:
 * Node lets a handshake choose a certificate by the name that the client asks for, and by nothing else. `serverFor` is
 * asked once for each address.
 */
export class AddressedServers {
  readonly #servers = new Map<string, Server>();

  constructor(server: Server, addresses: readonly string[], serverFor: (address: string) => Server) {
    if (addresses.length === 0) return;
    const own = new Set(addresses);
    const accept = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const address = localAddress(socket);
      if (!own.has(address)) {
        for (const listener of accept) listener.call(server, socket);
        return;
      }
      this.#serverAt(address, serverFor).emit('connection', socket);
    });
  }

  #serverAt(address: string, serverFor: (address: string) => Server): Server {
    const known = this.#servers.get(address);
    if (known !== undefined) return known;
    const made = serverFor(address);
    this.#servers.set(address, made);
    return made;
  }

  /** Those that had a connection, by their addresses. */
  entries(): Iterable<[string, Server]> {
    return this.#servers;
  }
}

/** A port that is open for IPv6 too shows IPv4 addresses in the form of the other. */
function localAddress({ localAddress = '' }: Socket): string {
  return localAddress.replace(/^::ffff:(?=\d+\.)/, '');
}
