import type { Server, Socket } from 'node:net';

/** The open sockets of a server. */
export class TrackedSockets {
  readonly #open = new Set<Socket>();
  /** Resolvers of all waiting calls: a listener may be closed again with a shorter grace period. */
  readonly #whenEmpty: (() => void)[] = [];
  #closing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Destroys all of them, and those that come later. */
  destroy(): void {
    this.#closing = true;
    for (const socket of this.#open) socket.destroy();
  }

  /** Resolves when none is open. */
  gone(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
    });
    if (this.#closing) socket.destroy();
  }
}
