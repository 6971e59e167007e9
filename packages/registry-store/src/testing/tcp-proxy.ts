import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy before a server that can lose what the server says, as a bad network would. */
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

  /** What the server says from now on is lost, and with it the connection as soon as `meanwhile` has run. */
  loseAnswer(meanwhile: () => Promise<void> = async () => {}): void {
    this.#loss = meanwhile;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Called with what the server says; true when it was lost. */
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

/** Stands before the server at `target`, on a free port unless one is given. */
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
