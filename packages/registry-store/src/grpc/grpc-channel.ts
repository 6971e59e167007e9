import type { SecureContextOptions } from 'node:tls';
import { type Clock, Deadlines } from '@apiserver/apimachinery/clock';
import {
  encodeHeaderBlock,
  Http2ClientConnection,
  type Http2ClientStream,
  type StreamHandlers,
} from '@apiserver/http2';
import { openSocket } from './connect-socket.js';
import { ConnectionPulse } from './connection-pulse.js';
import type { SocketDialer } from './dialled-socket.js';
import { GrpcCode, GrpcError } from './grpc-error.js';
import { GrpcStream, type GrpcStreamHandlers } from './grpc-stream.js';

/** Maximum number of cached header blocks: there are few paths and few times. */
const MAX_HEADER_BLOCKS = 64;

/** Upstream: csAttempt.recvMsg of google.golang.org/grpc */
const SECOND_MESSAGE =
  'cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message';
const NO_MESSAGE = 'cardinality violation: received no response message from non-server-streaming RPC';

interface Current {
  readonly connection: Http2ClientConnection;
  readonly pulse: ConnectionPulse;
}

/** The server of a channel, and how to reach it. */
export interface GrpcChannelOptions {
  /** `http://host:port` or `https://host:port`. With `socketPath` the host is only the name of the server. */
  readonly url: string;
  /** A unix socket instead of the network. One that begins with "\0" has no file. */
  readonly socketPath?: string;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  readonly clock: Clock;
  /** Timeout of connecting in milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds between two pings on a connection in use, and the timeout of one. */
  readonly keepalive: { readonly interval: number; readonly timeout: number };
  /** Maximum size of a server's message in bytes; unlimited by default. A call that receives a larger one fails. */
  readonly maxMessage?: number;
  /** Opens connections to hosts. Default: TCP from this machine. */
  readonly dial?: SocketDialer | undefined;
}

/** gRPC calls to one server over one HTTP/2 connection, which is opened on first use and reopened after it broke. */
export class GrpcChannel {
  readonly url: string;
  readonly #options: GrpcChannelOptions;
  readonly #target: URL;
  readonly #deadlines: Deadlines;
  readonly #headerBlocks = new Map<string, Uint8Array>();
  #current: Current | undefined;
  /** Connections that accept no more requests, for their pending ones. */
  readonly #old = new Set<Http2ClientConnection>();
  #closed = false;

  constructor(options: GrpcChannelOptions) {
    this.url = options.url;
    this.#options = options;
    this.#target = new URL(options.url);
    this.#deadlines = new Deadlines(options.clock);
  }

  /** One request and one response, within `timeout` milliseconds. Throws GrpcError. */
  call(path: string, message: Uint8Array, timeout: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let response: Buffer | undefined;
      const late = this.#deadlines.add(timeout, () => {
        stream.abort(new GrpcError(GrpcCode.deadlineExceeded, 'context deadline exceeded', 'unknown'));
      });
      const handlers = {
        message: (bytes: Buffer) => {
          if (response === undefined) response = bytes;
          else stream.abort(new GrpcError(GrpcCode.internal, SECOND_MESSAGE, 'unknown'));
        },
        end: (error?: GrpcError) => {
          this.#deadlines.clear(late);
          if (error !== undefined) reject(error);
          else if (response === undefined) reject(new GrpcError(GrpcCode.internal, NO_MESSAGE, 'unknown'));
          else resolve(response);
        },
      };
      const stream = this.#open(path, 'grpc-timeout', `${Math.max(1, Math.ceil(timeout))}m`, handlers);
      stream.send(message, { last: true });
    });
  }

  /** Opens a stream of messages both ways. Never throws: failures are passed to `handlers.end`, in a later turn. */
  open(path: string, handlers: GrpcStreamHandlers): GrpcStream {
    return this.#open(path, 'hasleader', 'true', handlers);
  }

  /**
   * Calls back once after `milliseconds`, unless the returned function is called before: cheap enough for every call.
   */
  after(milliseconds: number, passed: () => void): () => void {
    const deadline = this.#deadlines.add(milliseconds, passed);
    return () => this.#deadlines.clear(deadline);
  }

  /**
   * Closes a connection that does not respond to a ping in time; its calls then fail. May be called for every call: its
   * rate is limited, because servers close connections that ping too often.
   */
  probe(): void {
    this.#current?.pulse.probe();
  }

  /** Closes all connections. Idempotent. */
  close(): void {
    this.#closed = true;
    const error = new Error('the connection is closed');
    this.#current?.connection.destroy(error);
    for (const connection of this.#old) connection.destroy(error);
  }

  #open(path: string, name: string, value: string, handlers: GrpcStreamHandlers): GrpcStream {
    const request = (stream: StreamHandlers): Http2ClientStream =>
      this.#request(this.#headers(path, name, value), stream);
    return new GrpcStream(request, handlers, this.#options.maxMessage);
  }

  #request(headers: Uint8Array, handlers: StreamHandlers): Http2ClientStream {
    if (this.#closed) throw new GrpcError(GrpcCode.unavailable, 'the connection is closed', 'unsent');
    this.#current ??= this.#connect();
    return this.#current.connection.request(headers, handlers);
  }

  /** A call's headers, with one that varies. */
  #headers(path: string, name: string, value: string): Uint8Array {
    const key = `${path} ${value}`;
    const known = this.#headerBlocks.get(key);
    if (known !== undefined) return known;
    const block = encodeHeaderBlock([
      [':method', 'POST'],
      [':scheme', this.#target.protocol.slice(0, -1)],
      [':authority', this.#target.host],
      [':path', path],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      [name, value],
    ]);
    if (this.#headerBlocks.size >= MAX_HEADER_BLOCKS) this.#headerBlocks.clear();
    this.#headerBlocks.set(key, block);
    return block;
  }

  #connect(): Current {
    const { url, socketPath, tls, dial, clock, connectTimeout, keepalive } = this.#options;
    const { socket, connected } = openSocket({ url: this.#target, socketPath, tls, dial });
    // Only HTTP/2 frames prove that a server is alive; the system also accepts connections of a stopped process.
    const cancel = clock.schedule(() => {
      connection.destroy(new Error(`no connection to ${url} in ${connectTimeout} ms`));
    }, connectTimeout);
    const connection: Http2ClientConnection = new Http2ClientConnection(socket, connected, {
      ready: cancel,
      goingAway: () => {
        cancel();
        this.#old.add(connection);
        if (this.#current?.connection === connection) this.#current = undefined;
      },
      closed: () => {
        pulse.stop();
        this.#old.delete(connection);
      },
    });
    const pulse = new ConnectionPulse(connection, { clock, ...keepalive, failure: `${url} does not respond` });
    return { connection, pulse };
  }
}
