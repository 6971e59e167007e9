import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy in front of a server that can lose its responses, like a bad network. */
export class TcpProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #loss: (() => Promise<void>) | undefined;

  constructor(server: Server, url: string, sockets: Set<Socket>) {
    this.#server = server;
    this.url = url;
    this.#sockets = sockets;
  }

  /** Drops the server's responses from now on, and the connection once `meanwhile` has run. */
  loseResponse(meanwhile: () => Promise<void> = async () => {}): void {
    this.#loss = meanwhile;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Handles the server's data; returns true if it was dropped. */
  lost(client: Socket): boolean {
    const loss = this.#loss;
    if (loss === undefined) return false;
    this.#loss = undefined;
    void loss().finally(() => client.destroy());
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Forwards to the server at `target`, on a free port by default. */
export async function startTcpProxy(target: string, ownPort = 0): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let deaf = false;
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      deaf ||= proxy.lost(client);
      if (!deaf) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy = new TcpProxy(server, `http://127.0.0.1:${own}`, sockets);
  return proxy;
}
