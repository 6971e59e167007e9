import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/**
 * Passes connections to certain local addresses to other servers with their own certificates. Node can choose a
 * certificate in the handshake only by server name. `serverFor` is called once for each address.
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

  /** The servers that had a connection, by address. */
  entries(): Iterable<[string, Server]> {
    return this.#servers;
  }
}

/** A dual-stack port shows IPv4 addresses in their IPv6 form. */
function localAddress({ localAddress = '' }: Socket): string {
  return localAddress.replace(/^::ffff:(?=\d+\.)/, '');
}
