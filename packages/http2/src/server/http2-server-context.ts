import type { BufferPool } from './buffer-pool.js';
import type { FlushScheduler } from './flush-scheduler.js';
import type { ServerStream } from './server-stream.js';
import type { UnreadBytes } from './unread-bytes.js';

/** A connection, for who accepted it. */
export interface ServedConnection {
  /** Sends the connection away when no stream has been open for so many milliseconds; breaks off what its client does not read. */
  sweep(now: number, idleTimeout: number): void;
  /**
   * Tells the client to go elsewhere, and ends the connection when all that has come by now is answered; what comes later is
   * not looked at, so that the client may safely ask somebody else. Idempotent. Upstream: startGracefulShutdown
   */
  goAway(): void;
  /** Breaks everything off. Idempotent. */
  destroy(error?: Error): void;
}

/** What all connections of a server share. */
export interface Http2ServerContext {
  readonly scheduler: FlushScheduler;
  readonly pool: BufferPool;
  readonly unread: UnreadBytes;
  /** Streams that a client may have open on one connection. */
  readonly maxConcurrentStreams: number;
  /** Bytes that a frame of a client may have behind its head; 16,384 at least. */
  readonly maxFrameSize: number;
  /** Bytes of the fields of a head, each counted with 32 more. */
  readonly maxHeaderListSize: number;
  /** Bytes of a body that a client may send before somebody has taken them. */
  readonly initialWindowSize: number;
  /** The same for all bodies of a connection together. */
  readonly connectionWindow: number;
  /** A request has come; sets the stream's receiver. What it throws ends the connection. */
  request(stream: ServerStream, connection: ServedConnection): void;
  /** The connection is over; its streams are told after this. `error`: what the client did wrong, or what failed. */
  closed(connection: ServedConnection, error: Error | undefined): void;
}
