import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  type AcceptedStream,
  createWebSocketStream,
  SpdyServer,
  type WebSocket,
  WebSocketServer,
} from '@apiserver/proxy/testing';
import { certificate, key } from './kubelet-certificate.ts';

/** The streams of a command as a container runtime has them. */
interface CommandStreams {
  readonly command: readonly string[];
  /** The protocol of the client. */
  readonly spoken: 'SPDY' | 'WebSocket';
  readonly stdin: AsyncIterable<Buffer>;
  readonly resizes: AsyncIterable<Buffer>;
  stdout(text: string | Buffer): Promise<void>;
  stderr(text: string | Buffer): Promise<void>;
}

/** The process behind exec and attach. Resolves with its exit code. */
export type Command = (streams: CommandStreams) => Promise<number>;

/** A recorded request to a kubelet. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The common name of the client's certificate. */
  readonly client: string | undefined;
}

export interface FakeKubeletOptions {
  readonly command: Command;
  /** Writes the log of a container. */
  readonly log: (url: URL, response: ServerResponse) => void;
  /** The behaviour of a connection to a port of a pod. */
  readonly port: (port: number, connection: Duplex) => void;
  /** Sent instead of everything else. */
  readonly refuse?: (
    request: IncomingMessage,
  ) => { status: number; body: string; headers?: Record<string, string> } | undefined;
}

/**
 * A kubelet as far as an API server sees it: logs, commands and forwarded ports, over TLS on a free port of 127.0.0.1.
 */
export class FakeKubelet implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly sockets = new Set<Duplex>();
  readonly #options: FakeKubeletOptions;
  readonly #server = createServer({
    cert: certificate,
    key,
    ca: certificate,
    requestCert: true,
    rejectUnauthorized: false,
  });

  constructor(options: FakeKubeletOptions) {
    this.#options = options;
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.#server.on('request', (request, response) => this.#request(request, response));
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  #note(request: IncomingMessage): void {
    const peer = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate() : undefined;
    const { method = '', url = '', headers } = request;
    const name = peer?.subject?.CN;
    this.seen.push({ method, url, headers, client: typeof name === 'string' ? name : undefined });
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    this.#note(request);
    const refusal = this.#options.refuse?.(request);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      return;
    }
    const url = new URL(request.url ?? '/', 'https://kubelet');
    if (url.pathname.startsWith('/containerLogs/')) this.#options.log(url, response);
    else response.writeHead(404).end('404 page not found\n');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#note(request);
    const refusal = this.#options.refuse?.(request);
    if (refusal !== undefined) {
      const { status, body, headers = {} } = refusal;
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    const url = new URL(request.url ?? '/', 'https://kubelet');
    if (request.headers.upgrade?.toLowerCase() === 'websocket') this.#webSocket(url, request, socket, head);
    else await this.#spdy(url, request, socket, head);
  }

  async #spdy(url: URL, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const offered = [request.headers['x-stream-protocol-version'] ?? ''].flat().join(', ').split(', ');
    const isPortForward = url.pathname.startsWith('/portForward/');
    const protocol = isPortForward ? 'portforward.k8s.io' : 'v4.channel.k8s.io';
    if (!offered.includes(protocol)) throw new Error(`the client does not speak ${protocol}: ${offered}`);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    if (isPortForward) {
      this.#spdyPorts(socket, head);
      return;
    }
    const streams = new Map<string, AcceptedStream['stream']>();
    const wanted = wantedStreams(url);
    new SpdyServer(socket, head, ({ headers, stream }) => {
      streams.set(headers['streamtype'] ?? '', stream);
      // A client that disconnects ends the process.
      if (streams.size === wanted.length) this.#run(url, streams, socket).catch(() => socket.destroy());
    });
  }

  #spdyPorts(socket: Duplex, head: Buffer): void {
    new SpdyServer(socket, head, ({ headers, stream }) => {
      if (headers['streamtype'] === 'data') this.#options.port(Number(headers['port']), stream);
      else stream.end();
    });
  }

  async #run(url: URL, streams: ReadonlyMap<string, Duplex>, socket: Duplex): Promise<void> {
    const write = (stream: Duplex | undefined, text: string | Buffer) =>
      new Promise<void>((resolve) => (stream === undefined ? resolve() : stream.write(text, () => resolve())));
    const code = await this.#options.command({
      command: url.searchParams.getAll('command'),
      spoken: 'SPDY',
      stdin: streams.get('stdin') ?? nothing(),
      resizes: streams.get('resize') ?? nothing(),
      stdout: (text) => write(streams.get('stdout'), text),
      stderr: (text) => write(streams.get('stderr'), text),
    });
    streams.get('stdout')?.end();
    streams.get('stderr')?.end();
    streams.get('error')?.end(JSON.stringify(exitStatus(code)));
    setTimeout(() => socket.end(), 200).unref();
  }

  #webSocket(url: URL, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const server = new WebSocketServer({ noServer: true, handleProtocols: ([first]) => first ?? false });
    const { 'sec-websocket-protocol': protocol = '', ...headers } = request.headers;
    if (protocol.startsWith('SPDY/')) {
      // The library refuses the slash in this name.
      request.headers = headers;
      server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
      server.handleUpgrade(request, socket, head, (webSocket) =>
        this.#spdyPorts(createWebSocketStream(webSocket), Buffer.alloc(0)),
      );
      return;
    }
    server.handleUpgrade(request, socket, head, (webSocket) => {
      if (url.pathname.startsWith('/portForward/')) {
        this.#webSocketPorts(url, webSocket);
        return;
      }
      const stdin = messagesOf(webSocket, 0);
      const resizes = messagesOf(webSocket, 4);
      const send = (channel: number) => (text: string | Buffer) =>
        new Promise<void>((resolve) =>
          webSocket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]), () => resolve()),
        );
      const command = url.searchParams.getAll('command');
      void this.#options
        .command({ command, spoken: 'WebSocket', stdin, resizes, stdout: send(1), stderr: send(2) })
        .then(async (code) => {
          await send(3)(JSON.stringify(exitStatus(code)));
          webSocket.close(1000);
        });
    });
  }

  /** Each port has a channel for data and one for errors. Both begin with its number, in two bytes. */
  #webSocketPorts(url: URL, webSocket: WebSocket): void {
    const ports = (url.searchParams.get('port') ?? '').split(',').map(Number);
    for (const [index, port] of ports.entries()) {
      const data = 2 * index;
      for (const channel of [data, data + 1]) webSocket.send(Buffer.from([channel, port & 0xff, port >> 8]));
      this.#options.port(port, channelStream(webSocket, data));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function wantedStreams({ searchParams }: URL): readonly string[] {
  const has = (name: string) => searchParams.get(name) === '1';
  const tty = has('tty');
  return [
    'error',
    ...(has('input') ? ['stdin'] : []),
    ...(has('output') ? ['stdout'] : []),
    ...(has('error') && !tty ? ['stderr'] : []),
    ...(tty ? ['resize'] : []),
  ];
}

function exitStatus(code: number) {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

async function* nothing(): AsyncGenerator<Buffer, void> {}

/** One channel in both directions. Its end is that of the connection. */
function channelStream(webSocket: WebSocket, channel: number): Duplex {
  const stream = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _, done) => webSocket.send(Buffer.concat([Buffer.from([channel]), bytes]), done),
    final: (done) => {
      webSocket.close(1000);
      done();
    },
  });
  webSocket.on('message', (data: Buffer) => {
    if (data[0] === channel) stream.push(data.subarray(1));
  });
  webSocket.once('close', () => stream.push(null));
  return stream;
}

/** The messages on one channel, until it is closed or the WebSocket is. */
function messagesOf(webSocket: WebSocket, channel: number): AsyncIterable<Buffer> {
  const waiting: Buffer[] = [];
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  webSocket.on('message', (data: Buffer) => {
    if (data[0] === 255 && data[1] === channel) end();
    if (data[0] !== channel) return;
    waiting.push(data.subarray(1));
    wake();
  });
  webSocket.once('close', end);
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
