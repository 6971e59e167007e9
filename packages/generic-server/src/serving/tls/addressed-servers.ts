import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/**
 * Passes connections to TLS servers: one for certain local addresses each, with their own certificates, and one for all others. Node
 * can choose a certificate in the handshake only by server name. Each is made for its first connection.
 */
export class AddressedServers {
  readonly #addresses: ReadonlySet<string>;
  readonly #make: (address: string | undefined) => Server;
  readonly #servers = new Map<string | undefined, Server>();

  /** `make` is called once for each address, and once without one. */
  constructor(addresses: readonly string[], make: (address: string | undefined) => Server) {
    this.#addresses = new Set(addresses);
    this.#make = make;
  }

  /** Makes the server of all other addresses now. Throws for certificates that cannot be used. */
  prepare(): void {
    this.#serverAt(undefined);
  }

  /** Throws for certificates that cannot be used. */
  accept(socket: Socket): void {
    const address = this.#addresses.size === 0 ? '' : localAddress(socket);
    this.#serverAt(this.#addresses.has(address) ? address : undefined).emit('connection', socket);
  }

  /** The servers that exist, by address. */
  entries(): Iterable<[string | undefined, Server]> {
    return this.#servers;
  }

  #serverAt(address: string | undefined): Server {
    const known = this.#servers.get(address);
    if (known !== undefined) return known;
    const made = this.#make(address);
    this.#servers.set(address, made);
    return made;
  }
}

/** A dual-stack port shows IPv4 addresses in their IPv6 form. */
function localAddress({ localAddress = '' }: Socket): string {
  return localAddress.replace(/^::ffff:(?=\d+\.)/, '');
}
