import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BufferPool } from '../server/buffer-pool.js';
import { EndedRequests } from '../server/ended-requests.js';
import { FlushScheduler } from '../server/flush-scheduler.js';
import { Http2ServerConnection } from '../server/http2-server-connection.js';
import type { ServedConnection } from '../server/http2-server-context.js';
import type { ServerStream, StreamReceiver } from '../server/server-stream.js';
import { UnreadBytes } from '../server/unread-bytes.js';
import { connected, type Http2Fixture, largeBody, smallBody, tick, tickMilliseconds } from './http2-fixture.js';

/** Receive windows of the server. */
interface OwnWindows {
  readonly initialWindowSize: number;
  readonly connectionWindow: number;
}

const usual: OwnWindows = { initialWindowSize: 2 ** 18, connectionWindow: 25 * 2 ** 20 };

/** The fixture on Http2ServerConnection, without TLS. It resets `/broken` when a part of a body comes. */
export async function startOwnHttp2(windows = usual): Promise<Http2Fixture> {
  const open = new Set<FixtureCall>();
  const connections = new Set<ServedConnection>();
  const context = {
    scheduler: new FlushScheduler(),
    pool: new BufferPool(),
    // The large body is one buffer, shared by all responses.
    unread: new UnreadBytes(Number.POSITIVE_INFINITY),
    ended: new EndedRequests(),
    maxConcurrentStreams: 100,
    maxFrameSize: 2 ** 18,
    maxHeaderListSize: 2 ** 20,
    ...windows,
    request: (stream: ServerStream) => {
      const call = new FixtureCall(stream, () => open.delete(call));
      open.add(call);
      stream.receiver = call;
      call.response();
    },
    closed: (connection: ServedConnection) => connections.delete(connection),
  };
  const server = createServer((socket: Socket) => {
    socket.setNoDelay(true);
    connections.add(new Http2ServerConnection(socket, context));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connect: () => connected(connect(port, '127.0.0.1')),
    openRequests: () => open.size,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class FixtureCall implements StreamReceiver {
  readonly #stream: ServerStream;
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: ServerStream, over: () => void) {
    this.#stream = stream;
    this.#over = over;
  }

  response(): void {
    const stream = this.#stream;
    const { path, method, headers, refusal } = stream.head;
    if (refusal !== undefined) stream.respond(400, {}, true);
    else if (path === '/small') this.#small(method === 'HEAD');
    else if (path === '/echo' || path === '/broken') {
      if (headers['expect'] === '100-continue') stream.respond(100, {}, false);
      stream.respond(200, {}, false);
      stream.read();
    } else if (path === '/large') {
      stream.respond(200, {}, false);
      stream.write(largeBody());
      stream.end();
    } else if (path === '/endless') {
      stream.respond(200, {}, false);
      this.#timer = setInterval(() => stream.isFull || stream.write(Buffer.from(tick)), tickMilliseconds);
    } else if (path !== '/hang') stream.respond(404, {}, true);
  }

  #small(isHead: boolean): void {
    this.#stream.respond(200, { 'content-length': String(smallBody.length) }, isHead);
    if (isHead) return;
    this.#stream.write(Buffer.from(smallBody));
    this.#stream.end();
  }

  data(chunk: Buffer): void {
    if (this.#stream.head.path === '/broken') this.#stream.reset();
    if (!this.#stream.write(Buffer.from(chunk))) this.#stream.pause();
  }

  bodyEnded(): void {
    this.#stream.end();
  }

  drained(): void {
    this.#stream.read();
  }

  closed(): void {
    clearInterval(this.#timer);
    this.#over();
  }
}
