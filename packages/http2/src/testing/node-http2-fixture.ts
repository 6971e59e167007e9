import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Http2Fixture, largeBody, smallBody, tick, tickMilliseconds } from './http2-fixture.js';

/** The fixture on node:http2, without TLS: to see what the suite makes of a server that others trust. */
export async function startNodeHttp2(): Promise<Http2Fixture> {
  let open = 0;
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({ settings: { maxConcurrentStreams: 250 }, maxSessionMemory: 1000 });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    open++;
    stream.on('error', () => {});
    stream.on('close', () => open--);
    if (!stream.destroyed) answer(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connect: () => connected(connect(port, '127.0.0.1')),
    openRequests: () => open,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when the socket is connected. */
export function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  switch (headers[':path']) {
    case '/small':
      stream.respond({ ':status': 200, 'content-length': smallBody.length });
      stream.end(headers[':method'] === 'HEAD' ? undefined : smallBody);
      if (!stream.endAfterHeaders) stream.once('finish', () => setImmediate(() => stream.close(0)));
      return;
    case '/echo':
      if (headers['expect'] === '100-continue') stream.additionalHeaders({ ':status': 100 });
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
      return;
    case '/large':
      stream.respond({ ':status': 200 });
      stream.end(largeBody());
      return;
    case '/endless': {
      stream.respond({ ':status': 200 });
      const timer = setInterval(() => stream.writableNeedDrain || stream.write(tick), tickMilliseconds);
      stream.once('close', () => clearInterval(timer));
      return;
    }
    case '/hang':
      return;
    default:
      stream.respond({ ':status': 404 }, { endStream: true });
  }
}
