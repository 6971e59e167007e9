import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../clock.js';
import { GrpcCode, GrpcError } from './grpc-error.js';
import { GrpcStream, type GrpcStreamHandlers } from './grpc-stream.js';

/** A page of 10,000 objects should not wait for window updates. */
const STREAM_WINDOW = 4 * 2 ** 20;
const SESSION_WINDOW = 32 * 2 ** 20;
/** In MiB. Node's limit is for clients one does not trust: it refuses streams while large answers come in. */
const SESSION_MEMORY = 4096;

export interface GrpcChannelOptions {
  /** `http://host:port` or `https://host:port`. With `socketPath` its host is only what the server is called. */
  readonly url: string;
  /** A unix socket to speak through, in the place of the network. One that begins with "\0" has no file. */
  readonly socketPath?: string;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  readonly clock: Clock;
  /** Milliseconds a connection may take to come about. */
  readonly connectTimeout: number;
  /** Milliseconds between two pings on a connection in use, and how long one may take. */
  readonly keepalive: { readonly interval: number; readonly timeout: number };
  /** Bytes a message of the server's may have; any number without it. A call that gets a larger one fails. */
  readonly maxMessage?: number;
}

/** gRPC calls to one server over one HTTP/2 connection, which is made on first use and again after it broke. */
export class GrpcChannel {
  readonly url: string;
  readonly #options: GrpcChannelOptions;
  #session: ClientHttp2Session | undefined;
  #cancelPing: () => void = () => {};
  #closed = false;

  constructor(options: GrpcChannelOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** One request, one answer, within `timeout` milliseconds. Throws GrpcError. */
  call(path: string, message: Uint8Array, timeout: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const cancel = this.#options.clock.schedule(() => {
        stream.abort(new GrpcError(GrpcCode.deadlineExceeded, 'context deadline exceeded', 'unknown'));
      }, timeout);
      const stream = this.open(
        path,
        { 'grpc-timeout': `${Math.max(1, Math.ceil(timeout))}m` },
        {
          message: (bytes) => {
            answer = bytes;
          },
          end: (error) => {
            cancel();
            if (error !== undefined) reject(error);
            else if (answer === undefined) reject(new GrpcError(GrpcCode.unknown, 'the answer is empty', 'unknown'));
            else resolve(answer);
          },
        },
      );
      stream.send(message, { last: true });
    });
  }

  /** Opens a stream of messages both ways. Never throws: what fails comes to `handlers.end`, in a later turn. */
  open(path: string, headers: Readonly<Record<string, string>>, handlers: GrpcStreamHandlers): GrpcStream {
    return new GrpcStream(() => this.#request(path, headers), handlers, this.#options.maxMessage);
  }

  /** Drops a connection that does not answer a ping in time; its calls fail then. */
  probe(): void {
    const session = this.#session;
    if (session === undefined || session.connecting) return;
    const cancel = this.#options.clock.schedule(() => this.#drop(session), this.#options.keepalive.timeout);
    const sent = !session.destroyed && !session.closed && session.ping((error) => error === null && cancel());
    if (!sent) cancel();
  }

  /** Breaks off everything. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#cancelPing();
    const session = this.#session;
    this.#session = undefined;
    session?.destroy();
  }

  #request(path: string, headers: Readonly<Record<string, string>>): ClientHttp2Stream {
    if (this.#closed) throw new GrpcError(GrpcCode.unavailable, 'the connection is closed', 'unsent');
    this.#session ??= this.#connect();
    return this.#session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
  }

  #connect(): ClientHttp2Session {
    const { url, socketPath, tls, clock, connectTimeout } = this.#options;
    const session = connect(url, {
      ...tls,
      ...(socketPath === undefined ? {} : { createConnection: () => connectSocket(socketPath) }),
      maxSessionMemory: SESSION_MEMORY,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    const cancel = clock.schedule(() => {
      session.destroy(new Error(`no connection to ${url} in ${connectTimeout} ms`), constants.NGHTTP2_REFUSED_STREAM);
    }, connectTimeout);
    // The server's settings prove that somebody is there; a stopped process has its connections accepted too.
    session.once('remoteSettings', cancel);
    session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW));
    const forget = (): void => {
      cancel();
      if (this.#session !== session) return;
      this.#cancelPing();
      this.#session = undefined;
    };
    // What broke it is told to the calls; the session alone has nobody to tell.
    session.on('error', forget);
    session.on('goaway', forget);
    session.on('close', forget);
    this.#schedulePing(session);
    return session;
  }

  #schedulePing(session: ClientHttp2Session): void {
    this.#cancelPing = this.#options.clock.schedule(() => {
      if (session.destroyed) return;
      this.probe();
      this.#schedulePing(session);
    }, this.#options.keepalive.interval);
  }

  #drop(session: ClientHttp2Session): void {
    session.destroy(new Error(`${this.url} does not answer`));
  }
}
