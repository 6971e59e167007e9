import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { frameMessage, MessageReader } from '@apiserver/registry-store/grpc';
import { decodePacket, encodePacket, type Packet } from '../egress/konnectivity/packet.js';

/** The server's side of one tunnel. */
export interface ServedTunnel {
  send(...packet: Parameters<typeof encodePacket>): void;
  /** Ends the stream with a code of gRPC. */
  end(grpcStatus: number): void;
  readonly stream: ServerHttp2Stream;
}

/** A konnectivity server on a unix socket, which is also its own agent. */
export interface FakeKonnectivityServer extends AsyncDisposable {
  /** All received packets. */
  readonly received: Packet[];
  /** Number of open HTTP/2 connections. */
  readonly sessions: number;
}

/**
 * Starts a server. `intercept` responds to a packet instead of the server. It returns false for a packet that
 * it leaves to the server.
 */
export async function startFakeKonnectivityServer(
  path: string,
  intercept: (packet: Packet, tunnel: ServedTunnel) => boolean = () => false,
): Promise<FakeKonnectivityServer> {
  const received: Packet[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const tunnel = tunnelOf(stream);
    if (headers[':path'] !== '/ProxyService/Proxy') return tunnel.end(12);
    const agent = new Agent(tunnel);
    const reader = new MessageReader((message) => {
      const packet = decodePacket(message);
      received.push(packet);
      if (!intercept(packet, tunnel)) agent.receive(packet);
    });
    stream.on('error', () => {}).on('data', (chunk: Buffer) => reader.push(chunk));
    stream.once('close', () => agent.stop());
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    received,
    get sessions() {
      return sessions.size;
    },
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tunnelOf(stream: ServerHttp2Stream): ServedTunnel {
  let status = 0;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
  return {
    stream,
    send: (...packet) => {
      if (stream.writable) stream.write(frameMessage(encodePacket(...packet)));
    },
    end: (grpcStatus) => {
      status = grpcStatus;
      stream.end();
    },
  };
}

/** Connects to the addresses of this machine that a tunnel dials. */
class Agent {
  readonly #tunnel: ServedTunnel;
  readonly #connectId = 7n;
  #socket: Socket | undefined;

  constructor(tunnel: ServedTunnel) {
    this.#tunnel = tunnel;
  }

  receive({ type, address, random, data }: Packet): void {
    if (type === 'DIAL_REQ') this.#dial(address, random);
    else if (type === 'DATA') this.#socket?.write(data);
    else if (type === 'CLOSE_REQ') {
      this.#socket?.destroy();
      this.#tunnel.send('CLOSE_RSP', { connectId: this.#connectId });
    }
  }

  stop(): void {
    this.#socket?.destroy();
  }

  #dial(address: string, random: bigint): void {
    const [host = '', port] = address.split(':');
    const connectId = this.#connectId;
    const socket = connect(Number(port), host);
    const refuse = (error: Error) => this.#tunnel.send('DIAL_RSP', { random, error: error.message });
    socket.once('error', refuse);
    socket.once('connect', () => {
      this.#socket = socket.off('error', refuse).on('error', () => {});
      this.#tunnel.send('DIAL_RSP', { random, connectId });
      socket.on('data', (bytes: Buffer) => this.#tunnel.send('DATA', { connectId, data: bytes }));
      socket.once('end', () => this.#tunnel.send('CLOSE_RSP', { connectId }));
    });
  }
}
