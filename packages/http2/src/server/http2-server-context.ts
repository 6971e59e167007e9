import type { BufferPool } from './buffer-pool.js';
import type { EndedRequests } from './ended-requests.js';
import type { FlushScheduler } from './flush-scheduler.js';
import type { ServerStream } from './server-stream.js';
import type { UnreadBytes } from './unread-bytes.js';

/** A connection, for its transport. */
export interface ServedConnection {
  /**
   * Ends the connection after `idleTimeout` milliseconds without a stream. Disconnects streams and connections whose
   * client does not read. `now` is monotonic.
   */
  sweep(now: number, idleTimeout: number): void;
  /**
   * Sends GOAWAY and ends the connection once all requests received so far have their responses. Later requests are
   * ignored, so that the client may safely repeat them elsewhere. Idempotent. Upstream: startGracefulShutdown
   */
  goAway(): void;
  /** Destroys the connection. Idempotent. */
  destroy(error?: Error): void;
}

/** The state and the settings that all connections of a server share. */
export interface Http2ServerContext {
  readonly scheduler: FlushScheduler;
  readonly pool: BufferPool;
  readonly unread: UnreadBytes;
  readonly ended: EndedRequests;
  /** SETTINGS_MAX_CONCURRENT_STREAMS */
  readonly maxConcurrentStreams: number;
  /** SETTINGS_MAX_FRAME_SIZE: bytes; 16,384 at least. */
  readonly maxFrameSize: number;
  /** SETTINGS_MAX_HEADER_LIST_SIZE: bytes of all fields of a head, with an overhead of 32 each. */
  readonly maxHeaderListSize: number;
  /** SETTINGS_INITIAL_WINDOW_SIZE: bytes of a body that a client may send before they are consumed. */
  readonly initialWindowSize: number;
  /** The window for all bodies of a connection together. */
  readonly connectionWindow: number;
  /** Serves a request and sets the receiver of its stream. An exception ends the connection. */
  request(stream: ServerStream, connection: ServedConnection): void;
  /**
   * The connection has ended; its streams are informed afterwards. `error`: the fault of the client, or the failure.
   */
  closed(connection: ServedConnection, error: Error | undefined): void;
}
