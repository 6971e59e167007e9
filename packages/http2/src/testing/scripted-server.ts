import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'vitest';
import { ObservedClient, type ObservedResponse } from './observed-client.js';

/** Empty SETTINGS. */
const SETTINGS = '000000 04 00 00000000';
/** Length of the client preface: magic bytes, two settings and window credit. */
export const GREETING_BYTES = 24 + 9 + 12 + 9 + 4;
/** Length of an acknowledgement of SETTINGS. */
export const ACKNOWLEDGED_BYTES = 9;

/** A server that sends only the bytes of a test. */
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

  /** Sends bytes given in hexadecimal; spaces are ignored. */
  say(hex: string): void {
    this.#sockets[0]?.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  }

  fallSilent(): void {
    this.#sockets[0]?.end();
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when the preface of the client has arrived. */
  async greeted(): Promise<void> {
    await expect.poll(() => this.received.length).toBe(GREETING_BYTES);
  }

  /** Sends the preface. Resolves when the client has sent a request. */
  async opened(): Promise<void> {
    await this.greeted();
    this.say(SETTINGS);
    await expect.poll(() => this.received.length).toBeGreaterThan(GREETING_BYTES + ACKNOWLEDGED_BYTES);
  }
}

/** A scripted server, our client, and the response to its first request. */
export class ScriptedExchange implements Disposable {
  readonly server: ScriptedServer;
  readonly client: ObservedClient;
  readonly response: Promise<ObservedResponse>;

  private constructor(server: ScriptedServer) {
    this.server = server;
    this.client = new ObservedClient(server.server);
    this.response = this.client.post('/');
  }

  /** The preface of the client has arrived, and the server has sent nothing. */
  static async greeted(): Promise<ScriptedExchange> {
    const exchange = new ScriptedExchange(await ScriptedServer.listening());
    await exchange.server.greeted();
    return exchange;
  }

  /** The server has the request. */
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
