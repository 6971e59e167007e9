import type { Duplex, Readable } from 'node:stream';
import type { KubeObject } from '@apiserver/apimachinery';
import type { RequestContext } from './request-context.js';
import type { StoredList, StoredObject } from './stored-object.js';
import type { WatchSource } from './watch.js';

/** Read-only view of request headers. Names are case-insensitive; values are as sent. */
export interface RequestHeaders {
  /** The first value, or undefined. Repeated headers that HTTP allows to be joined are joined with ", ". */
  get(name: string): string | undefined;
  /** Every value in the order sent, so that repeated Impersonate-Group headers stay apart. */
  all(name: string): readonly string[];
  /** Lower-case names, each once. */
  names(): Iterable<string>;
}

/** The client's TLS certificate chain as the listener saw it, leaf first, DER. */
export interface PeerCertificates {
  readonly chain: readonly Uint8Array[];
  /** A cache slot that lives as long as the connection: parse and verify once per connection, not per request. */
  readonly memo: Map<object, unknown>;
}

/** One HTTP request, whatever listener, socket or host framework it came from. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly url: string;
  /** Percent-decoded path without the query, as Go's URL.Path. A path that does not decode is refused by the listener. */
  readonly path: string;
  /** The query as sent, without "?". */
  readonly rawQuery: string;
  /** Parsed on first use. */
  readonly query: URLSearchParams;
  readonly headers: RequestHeaders;
  readonly httpVersion: '1.0' | '1.1' | '2.0';
  /** The peer's IP address, without port. */
  readonly remoteAddress: string;
  /** Host header or :authority. */
  readonly host: string;
  readonly secure: boolean;
  /** Undefined when the client showed no certificate. */
  readonly peerCertificates: PeerCertificates | undefined;
  /**
   * The whole body. May be called once.
   * Throws a StatusError 413 (RequestEntityTooLarge) as soon as more than `limit` bytes have come, 400 when the client broke off.
   */
  readBody(limit: number): Promise<Uint8Array>;
  /**
   * The body as it comes, for who passes it on: undefined when there is none. To be called once, instead of `readBody`.
   * Has no limit; errs when the client breaks off.
   */
  bodyStream(): Readable | undefined;
  /**
   * Set by the loopback client only: the caller is in this process and wants values instead of bytes. `body` stands for
   * the decoded request body; a handler clones it before changing it, and answers with a ValueResponse.
   */
  readonly inProcess?: { readonly body?: KubeObject };
}

/** Response headers, mutable until the body starts; later changes are a bug and throw. */
export interface ResponseHeaders {
  get(name: string): string | undefined;
  set(name: string, value: string | readonly string[]): void;
  /** Adds a value beside those already there (Warning, Vary, Audit-Id …). */
  append(name: string, value: string): void;
  has(name: string): boolean;
  delete(name: string): void;
  entries(): Iterable<readonly [string, string | readonly string[]]>;
}

/** What a stream answer writes to. Writes are synchronous; the listener gathers the writes of one tick into one frame. */
export interface ResponseWriter {
  /** Queues a chunk that the caller must not change afterwards (it may be shared by many writers). */
  write(chunk: Uint8Array): void;
  /** Bytes queued here that the socket has not taken yet: what a caller bounds. */
  readonly bufferedBytes: number;
  /** Resolves when bufferedBytes is back under the transport's high-water mark, or the client has gone. */
  drained(): Promise<void>;
  /** True once the client has gone or the response ended. */
  readonly closed: boolean;
}

/** The raw socket of an upgraded connection (exec, attach, port-forward, WebSocket watch). */
export interface UpgradeSocket {
  readonly socket: Duplex;
  /** Bytes that came behind the request's head. */
  readonly head: Uint8Array;
}

/** A whole body at once. `body` is undefined for answers without one (204, HEAD). */
export interface BytesResponse {
  readonly type: 'bytes';
  readonly status: number;
  readonly body: Uint8Array | undefined;
}
/** A body in chunks, pulled as fast as the client takes them; a throw after the first chunk breaks the stream off. */
export interface ChunksResponse {
  readonly type: 'chunks';
  readonly status: number;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Takes a chunk's memory back when nobody refers to it any more, to be used again. Who does not know need not call it. */
  readonly giveBack?: (chunk: Uint8Array) => void;
  /** The source waits for the client as long as that likes: nobody is cut off for not reading on. Logs, proxies. */
  readonly isPatient?: boolean;
}
/** A body pushed by the handler. The response ends when the promise settles. */
export interface StreamResponse {
  readonly type: 'stream';
  readonly status: number;
  run(writer: ResponseWriter): Promise<void>;
}
/** The connection is handed over; nothing is written by the server, not even the head of an answer. */
export interface UpgradeResponse {
  readonly type: 'upgrade';
  /** What `run` answers with, for logs and metrics. Default 101. */
  readonly status?: number;
  run(connection: UpgradeSocket): Promise<void>;
}
/** For in-process callers (`request.inProcess`): the very values, nothing encoded. Never reaches a socket. */
export interface ValueResponse {
  readonly type: 'value';
  readonly status: number;
  readonly value: StoredObject | StoredList | WatchSource | KubeObject;
}
/** The value a Handler answers with. Headers stand in `Exchange.responseHeaders`. */
export type ApiResponse = BytesResponse | ChunksResponse | StreamResponse | UpgradeResponse | ValueResponse;

/** How an exchange ended. `status` 0: the client went away before a status was written. */
export interface ExchangeOutcome {
  readonly status: number;
  readonly bytesWritten: number;
  /** True when the client or the transport broke off before the answer was complete. */
  readonly aborted: boolean;
}

/** One request and its answer on the way through filters and handlers. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly responseHeaders: ResponseHeaders;
  /** What the filters have learned so far. */
  readonly context: RequestContext;
  /** Aborted when the client goes away, the deadline passes or the server must end it. Created on first use. */
  readonly signal: AbortSignal;
  /** Ends the exchange from the server's side; `reason` becomes `signal.reason`. */
  abort(reason: unknown): void;
  /**
   * Runs `listener` once, when the answer has left or the client has gone. Filters that count, limit, log or audit
   * release here, never when `next` returns: a watch answers at once and lives for an hour.
   */
  onFinished(listener: (outcome: ExchangeOutcome) => void): void;
}

/** Answers an exchange. A throw is turned into a Status by the outermost filters. */
export type Handler = (exchange: Exchange) => Promise<ApiResponse> | ApiResponse;

/** Wraps a handler. Named, so that the order of the chain can be asserted and shown. */
export interface Filter {
  readonly name: string;
  wrap(next: Handler): Handler;
}
