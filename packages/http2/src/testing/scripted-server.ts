import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'vitest';
import { type ObservedAnswer, ObservedClient } from './observed-client.js';

/** Settings that say nothing. */
const SETTINGS = '000000 04 00 00000000';
/** Bytes of what our client says first: the preface, two settings, and leave to send. */
export const GREETING_BYTES = 24 + 9 + 12 + 9 + 4;
/** Bytes of an acknowledgement of settings. */
export const ACKNOWLEDGED_BYTES = 9;

/** A server that says what it is told, and nothing of itself. */
export class ScriptedServer implements Disposable {
  readonly server: Server;
  readonly #received: Buffer[] = [];
  readonly #sockets: Socket[] = [];

  private constructor() {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => this.#received.push(chunk));
    });
  }

  static async listening(): Promise<ScriptedServer> {
    const made = new ScriptedServer();
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  [Symbol.dispose](): void {
    this.hangUp();
    this.server.close();
  }

  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  /** Bytes in hexadecimal; spaces do not matter. */
  say(hex: string): void {
    this.#sockets[0]?.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  }

  fallSilent(): void {
    this.#sockets[0]?.end();
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when the client has greeted and waits for the server. */
  async greeted(): Promise<void> {
    await expect.poll(() => this.received.length).toBe(GREETING_BYTES);
  }

  /** Greets back. Resolves when the client has sent a request. */
  async opened(): Promise<void> {
    await this.greeted();
    this.say(SETTINGS);
    await expect.poll(() => this.received.length).toBeGreaterThan(GREETING_BYTES + ACKNOWLEDGED_BYTES);
  }
}

/** A scripted server, our client, and the answer to its first request. */
export class ScriptedExchange implements Disposable {
  readonly server: ScriptedServer;
  readonly client: ObservedClient;
  readonly answer: Promise<ObservedAnswer>;

  private constructor(server: ScriptedServer) {
    this.server = server;
    this.client = new ObservedClient(server.server);
    this.answer = this.client.post('/');
  }

  /** The client has greeted, and the server has said nothing yet. */
  static async greeted(): Promise<ScriptedExchange> {
    const exchange = new ScriptedExchange(await ScriptedServer.listening());
    await exchange.server.greeted();
    return exchange;
  }

  /** The request is with the server. */
  static async opened(): Promise<ScriptedExchange> {
    const exchange = new ScriptedExchange(await ScriptedServer.listening());
    await exchange.server.opened();
    return exchange;
  }

  [Symbol.dispose](): void {
    this.client[Symbol.dispose]();
    this.server[Symbol.dispose]();
  }
}
