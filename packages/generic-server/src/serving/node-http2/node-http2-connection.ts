import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import {
  FloodGuard,
  Http2Code,
  Http2StreamError,
  MAX_FIELDS,
  type RequestHead,
  RequestHeadBuilder,
  refuseTooLarge,
  type SlowReader,
  SocketProgress,
} from '@apiserver/http2';
import { BODY_BYTES, connectionWindowOf, maxHeaderListSize } from '../http2/http2-limits.js';
import { type TransportContext, UNREAD_TIME_MS } from '../transport/transport-context.js';
import { NodeHttp2Stream, type NodeHttp2StreamOwner } from './node-http2-stream.js';

/** The highest stream id. A GOAWAY with this id announces the end without rejecting any request. */
const LAST_STREAM_ID = 2 ** 31 - 1;
/** Bytes of responses that may wait for a client for `UNREAD_TIME_MS`. With more, the client has less time. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const GREEDY_TIME_MS = 5_000;
/** Milliseconds for the first settings of a client. Upstream: prefaceTimeout in x/net/http2/server.go */
const PREFACE_TIME_MS = 10_000;
/** Megabytes that Node may hold for a session before it refuses further streams. */
const MAX_SESSION_MEMORY = 64;
/** Upstream: processSettings in x/net/http2/server.go */
const MAX_SETTINGS = 100;
/**
 * No limit, because Node also counts resets of responses that have begun, such as watches. FloodGuard counts the
 * others.
 */
const UNLIMITED_RESETS = 2 ** 31 - 1;

/** The transport, for its connections. */
export interface NodeHttp2ConnectionOwner {
  /** A request has come; sets the receiver of the stream. */
  request(stream: NodeHttp2Stream): void;
  /** `error`: why the connection failed. */
  closed(connection: NodeHttp2Connection, error: Error | undefined): void;
}

/** The server's end of an HTTP/2 connection by `node:http2`, with the limits of `Http2ServerConnection`. */
export class NodeHttp2Connection implements NodeHttp2StreamOwner, SlowReader {
  readonly #context: TransportContext;
  readonly #socket: TLSSocket;
  readonly #owner: NodeHttp2ConnectionOwner;
  readonly #session: ServerHttp2Session;
  readonly #streams = new Set<NodeHttp2Stream>();
  readonly #guard = new FloodGuard();
  readonly #builder = new RequestHeadBuilder();
  readonly #progress: SocketProgress;
  /** Monotonic milliseconds since when no stream is open. */
  #idleSince = performance.now();
  #isReady = false;
  /** Monotonic milliseconds of the client's GOAWAY; 0: it sent none. */
  #clientLeftAt = 0;
  /** Bytes of responses. */
  #waiting = 0;
  /** The same with the heads of the requests that are open. */
  #unread = 0;
  /** True if its bytes no longer count, although its streams close in a later turn. */
  #isCutOff = false;
  #failure: Error | undefined = undefined;

  /** Takes the socket over. */
  constructor(
    socket: TLSSocket,
    maxConcurrentStreams: number,
    { context, owner }: { readonly context: TransportContext; readonly owner: NodeHttp2ConnectionOwner },
  ) {
    this.#context = context;
    this.#socket = socket;
    this.#progress = new SocketProgress(socket);
    this.#owner = owner;
    const session = performServerHandshake(socket, sessionOptions(maxConcurrentStreams));
    this.#session = session;
    session.setLocalWindowSize(connectionWindowOf(maxConcurrentStreams));
    session.on('stream', (stream, _headers, flags, raw?: string[]) => this.#open(stream, flags, raw ?? []));
    session.on('remoteSettings', () => {
      this.#isReady = true;
      this.#noteIdleFrame();
    });
    session.on('ping', () => this.#noteIdleFrame());
    session.once('goaway', () => {
      this.#clientLeftAt = performance.now();
    });
    session.on('error', (error) => {
      this.#failure = error;
    });
    session.once('close', () => this.#closed());
    context.unread.addReader(this);
  }

  sweep(now: number, idleTimeout: number): void {
    const isIdle = this.#streams.size === 0;
    if (!this.#isReady && now - this.#idleSince > PREFACE_TIME_MS) this.#socket.destroy();
    // The client of a session that has ended does not take the last frames.
    else if (isIdle && this.#session.closed && now - this.#idleSince >= UNREAD_TIME_MS) this.#socket.destroy();
    else if (isIdle && now - this.#idleSince >= idleTimeout) this.goAway();
    // Node may stop reading after the client's GOAWAY, and then misses the end of the connection.
    else if (this.#clientLeftAt !== 0 && now - this.#clientLeftAt >= UNREAD_TIME_MS) this.#session.destroy();
    const patience = this.#waiting > MAX_WAITING_BYTES ? GREEDY_TIME_MS : UNREAD_TIME_MS;
    const socketSince = this.#progress.stuckSince(now);
    for (const stream of this.#streams) {
      const isLate = stream.giveUpAt !== 0 && stream.giveUpAt <= now;
      const stuckFor = stream.stuckSince === 0 ? 0 : now - Math.max(stream.stuckSince, socketSince);
      const isStuck = !stream.isPatient && stuckFor >= patience;
      if (isLate || isStuck) stream.reset(Http2Code.cancel);
    }
  }

  goAway(): void {
    if (this.#session.closed || this.#session.destroyed) return;
    this.#session.close();
  }

  get unreadBytes(): number {
    return this.#unread;
  }

  stuckSince(now: number): number | undefined {
    let since: number | undefined;
    for (const stream of this.#streams) {
      if (stream.stuckSince !== 0 && (since === undefined || stream.stuckSince < since)) since = stream.stuckSince;
    }
    return since === undefined ? undefined : Math.max(since, this.#progress.stuckSince(now));
  }

  cutOff(): void {
    if (this.#isCutOff) return;
    this.#context.unread.add(-this.#unread);
    this.#isCutOff = true;
    this.#failure ??= new Error('the client does not read its responses');
    this.#socket.destroy();
    this.#session.destroy();
  }

  queued(bytes: number): void {
    this.#waiting += bytes;
    this.#keep(bytes);
  }

  closed(stream: NodeHttp2Stream): void {
    this.#streams.delete(stream);
    this.#keep(-stream.head.size);
    if (this.#streams.size === 0) this.#idleSince = performance.now();
    const { resetCode, isReset, responded } = stream;
    // As in Http2ServerConnection: a reset after the head of the response is not counted.
    if (resetCode !== Http2Code.noError && !isReset && !responded) this.#noteReset();
  }

  #open(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): void {
    // An error always comes with 'close'.
    stream.on('error', () => {});
    const head = this.#headOf(stream, flags, raw);
    if (head === undefined) return;
    if (stream.destroyed) {
      // The client has reset it in the packet that opened it.
      this.#noteReset();
      return;
    }
    const served = new NodeHttp2Stream(stream, head, this);
    this.#streams.add(served);
    this.#keep(head.size);
    if (head.rawHeaders.length > 2 * MAX_FIELDS) refuseTooLarge(served);
    else this.#owner.request(served);
  }

  /** undefined for a malformed request, whose stream ends. */
  #headOf(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): RequestHead | undefined {
    try {
      for (let index = 0; index + 1 < raw.length; index += 2) {
        this.#builder.field(raw[index] as string, raw[index + 1] as string);
      }
      return this.#builder.finish((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0);
    } catch (error) {
      stream.close(error instanceof Http2StreamError ? error.http2Code : Http2Code.internalError);
      this.#noteReset();
      return undefined;
    }
  }

  #noteReset(): void {
    this.#guarded(() => {
      if (this.#guard.noteReset(performance.now())) this.#session.goaway(Http2Code.noError, LAST_STREAM_ID);
    });
  }

  #noteIdleFrame(): void {
    this.#guarded(() => this.#guard.noteIdleFrame(performance.now()));
  }

  /** Ends the connection if the events that `note` counts are too many. */
  #guarded(note: () => void): void {
    if (this.#session.destroyed) return;
    try {
      note();
    } catch {
      this.#session.destroy(undefined, Http2Code.enhanceYourCalm);
    }
  }

  #keep(bytes: number): void {
    this.#unread += bytes;
    if (!this.#isCutOff) this.#context.unread.add(bytes);
  }

  #closed(): void {
    this.#context.unread.removeReader(this);
    this.#owner.closed(this, this.#failure);
  }
}

function sessionOptions(maxConcurrentStreams: number) {
  return {
    settings: {
      maxConcurrentStreams,
      maxFrameSize: BODY_BYTES,
      maxHeaderListSize,
      initialWindowSize: BODY_BYTES,
    },
    maxSessionMemory: MAX_SESSION_MEMORY,
    maxSettings: MAX_SETTINGS,
    // Beyond it Node resets the stream; one field more than allowed gets the 431 of the other implementation.
    maxHeaderListPairs: 2 * MAX_FIELDS,
    streamResetBurst: UNLIMITED_RESETS,
    streamResetRate: UNLIMITED_RESETS,
  };
}
