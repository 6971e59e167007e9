import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Random } from './random.ts';

/** A line to a port of 127.0.0.1 that is cut and stalls at random, and can be closed for a time. */
export class BadLine implements AsyncDisposable {
  cuts = 0;
  stalls = 0;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #server;
  readonly #stallMs: number;
  #steady = false;
  #closed = false;

  /** `stallMs`: the longest that a reader stalls. */
  constructor(target: number, random: Random, stallMs: number) {
    this.#stallMs = stallMs;
    this.#server = createServer((client) => {
      if (this.#closed) {
        client.destroy();
        return;
      }
      const server = connect(target, '127.0.0.1');
      this.#join(client, server);
      client.pipe(server).pipe(client);
      this.#disturb(client, server, random);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address() as AddressInfo;
    return address.port;
  }

  /** From now on nothing is disturbed. */
  calm(): void {
    this.#steady = true;
  }

  /**
   * Cuts all connections and accepts no new ones while `meanwhile` runs: a client that returns has missed all of it.
   */
  async closedFor(meanwhile: () => Promise<void>): Promise<void> {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
    try {
      await meanwhile();
    } finally {
      this.#closed = false;
    }
  }

  #join(...pair: readonly [Socket, Socket]): void {
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const other of pair) other.destroy();
      });
    }
  }

  /** The bytes for a stalled reader stay in the server. */
  #disturb(client: Socket, server: Socket, random: Random): void {
    this.#after(50 + random.below(600), () => {
      if (this.#steady || client.destroyed) return;
      if (random.chance(0.3)) {
        this.cuts += 1;
        client.destroy();
        return;
      }
      this.stalls += 1;
      server.unpipe(client);
      server.pause();
      this.#after(random.below(this.#stallMs), () => {
        server.pipe(client);
        this.#disturb(client, server, random);
      });
    });
  }

  #after(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds);
    this.#timers.add(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}
