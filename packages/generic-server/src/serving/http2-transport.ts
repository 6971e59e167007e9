import {
  constants,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { Connection } from './connection.js';
import { Http2Call } from './http2-call.js';
import { parseRequestTarget } from './request-target.js';
import { ResetBudget } from './reset-budget.js';
import type { TransportContext } from './transport-context.js';

/** The highest stream id: a GOAWAY with it announces the end without giving up on any request. */
const lastStreamId = 2 ** 31 - 1;
/** What a connection may hold of request bodies that nobody has read. Upstream: golang.org/x/net/http2 defaults */
const connectionWindow = 25 * 1024 * 1024;

interface Session {
  readonly http2: Http2Session;
  readonly connection: Connection;
  readonly resets: ResetBudget;
  openStreams: number;
  /** Monotonic milliseconds since when no stream is open. */
  idleSince: number;
}

/** The HTTP/2 side of a listener. */
export interface Http2Transport {
  /** Closes connections without a stream for `idleTimeout` milliseconds. To be called now and then. */
  closeIdle(idleTimeout: number): void;
  /** Tells every client to go elsewhere and closes each connection when its last stream ends. */
  closeAll(): void;
}

/**
 * Serves a server's HTTP/2 streams. By the stream API: measured the cheapest, at two thirds of the compatibility API's cost.
 */
export function serveHttp2(server: Http2SecureServer, context: TransportContext): Http2Transport {
  const sessions = new Map<Http2Session, Session>();
  server.on('session', (session: Http2Session) => {
    const monotonic = performance.now();
    sessions.set(session, {
      http2: session,
      connection: new Connection(session.socket),
      resets: new ResetBudget(monotonic),
      openStreams: 0,
      idleSince: monotonic,
    });
    session.setLocalWindowSize(connectionWindow);
    session.on('error', (error) => context.logger.v(4)?.info('HTTP/2 connection failed', { err: error.message }));
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _: number, raw?: string[]) => {
    const session = stream.session === undefined ? undefined : sessions.get(stream.session);
    if (session === undefined) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else serveStream(session, { stream, headers, rawHeaders: raw ?? [] }, context);
  });
  return {
    closeIdle: (idleTimeout) => {
      const before = performance.now() - idleTimeout;
      for (const [session, { openStreams, idleSince }] of sessions) {
        if (openStreams === 0 && idleSince <= before) session.close();
      }
    },
    closeAll: () => {
      for (const session of sessions.keys()) session.close();
    },
  };
}

interface RawStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** An error always comes with 'close', which is where it is dealt with. */
function ignore(): void {}

function serveStream(session: Session, raw: RawStream, context: TransportContext): void {
  const { stream, headers } = raw;
  stream.on('error', ignore);
  const target = parseRequestTarget(headers[':path'] ?? '', headers[':method'] ?? '');
  session.openStreams++;
  const call =
    target === undefined ? undefined : new Http2Call(context, { ...raw, target, connection: session.connection });
  stream.once('close', () => {
    session.openStreams--;
    const now = performance.now();
    session.idleSince = now;
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && session.resets.note(now)) {
      session.http2.goaway(constants.NGHTTP2_NO_ERROR, lastStreamId);
    }
    call?.closed();
    // With its listeners a stream outlives V8's cheap collections of young objects: once one has grown old, all later ones
    // are taken for referred to, are copied twice, and are only found dead by a collection of everything.
    // Without those who want to hear of each, Node takes them away together.
    stream.removeAllListeners('removeListener').removeAllListeners().on('error', ignore);
  });
  if (call === undefined) {
    stream.respond({ ':status': 400, 'content-type': 'text/plain; charset=utf-8' });
    stream.end('400 Bad Request');
  } else {
    void call.run();
  }
}
