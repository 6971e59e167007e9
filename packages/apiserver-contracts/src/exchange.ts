import type { Duplex, Readable } from 'node:stream';
import type { KubeObject } from '@apiserver/apimachinery';
import type { RequestContext } from './request-context.js';
import type { StoredList, StoredObject } from './stored-object.js';
import type { WatchSource } from './watch.js';

/** Read-only view of request headers. Names are case-insensitive; values are as sent. */
export interface RequestHeaders {
  /** The first value, or undefined. Repeated headers are joined with ", " if HTTP allows it. */
  get(name: string): string | undefined;
  /** Every value in the order sent, so that repeated Impersonate-Group headers stay separate. */
  all(name: string): readonly string[];
  /** Lower-case names, each once. */
  names(): Iterable<string>;
}

/** The client's TLS certificate chain as the listener received it, leaf first, in DER. */
export interface PeerCertificates {
  readonly chain: readonly Uint8Array[];
  /** A cache with the lifetime of the connection: certificates are verified once per connection. */
  readonly memo: Map<object, unknown>;
}

/** One HTTP request, independent of its listener or host framework. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly url: string;
  /** Percent-decoded path without the query, as Go's URL.Path. The listener refuses a path with invalid encoding. */
  readonly path: string;
  /** The query as sent, without "?". */
  readonly rawQuery: string;
  /** Parsed on first use. */
  readonly query: URLSearchParams;
  readonly headers: RequestHeaders;
  readonly httpVersion: '1.0' | '1.1' | '2.0';
  /** The peer's IP address, without port. */
  readonly remoteAddress: string;
  /** The peer's port; undefined for a request without a socket. */
  readonly remotePort?: number | undefined;
  /** Host header or :authority. */
  readonly host: string;
  readonly secure: boolean;
  /** Undefined if the client sent no certificate. */
  readonly peerCertificates: PeerCertificates | undefined;
  /**
   * Reads the whole body; call it once. Throws a StatusError: 413 (RequestEntityTooLarge) as soon as more than
   * `limit` bytes arrive, 400 if the client disconnects.
   */
  readBody(limit: number): Promise<Uint8Array>;
  /**
   * Streams the body to a proxied backend; undefined if there is none. Call it once, instead of `readBody`. It has no
   * limit, and fails if the client disconnects.
   */
  bodyStream(): Readable | undefined;
  /**
   * Set only by the loopback client, whose in-process caller expects values instead of bytes. `body` replaces the
   * decoded request body. A handler clones it before changing it, and returns a ValueResponse.
   */
  readonly inProcess?: { readonly body?: KubeObject };
}

/** Response headers, mutable until the body starts; later changes throw, because they are a bug. */
export interface ResponseHeaders {
  get(name: string): string | undefined;
  set(name: string, value: string | readonly string[]): void;
  /** Adds a value to the existing ones (Warning, Vary, Audit-Id …). */
  append(name: string, value: string): void;
  has(name: string): boolean;
  delete(name: string): void;
  entries(): Iterable<readonly [string, string | readonly string[]]>;
}

/**
 * The writer of a streamed response. Writes are synchronous; the listener combines the writes of one tick into one
 * frame.
 */
export interface ResponseWriter {
  /** Queues a chunk. The caller must not change it afterwards, because writers may share it. */
  write(chunk: Uint8Array): void;
  /** Queued bytes that the socket has not yet accepted. Callers must bound them. */
  readonly bufferedBytes: number;
  /** Resolves when bufferedBytes falls below the transport's high-water mark, or the client disconnects. */
  drained(): Promise<void>;
  /** True once the client has disconnected or the response has ended. */
  readonly closed: boolean;
}

/** The raw socket of an upgraded connection (exec, attach, port-forward, WebSocket watch). */
export interface UpgradeSocket {
  readonly socket: Duplex;
  /** Bytes received after the request's head. */
  readonly head: Uint8Array;
}

/** A response with a complete body. `body` is undefined for a response without one (204, HEAD). */
export interface BytesResponse {
  readonly type: 'bytes';
  readonly status: number;
  readonly body: Uint8Array | undefined;
}
/** A response in chunks, pulled at the client's speed. A throw after the first chunk aborts the stream. */
export interface ChunksResponse {
  readonly type: 'chunks';
  readonly status: number;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Optional. Returns a chunk's memory to its pool once the transport holds no reference to it. */
  readonly giveBack?: (chunk: Uint8Array) => void;
  /** True to wait for a slow client without a limit (logs, proxies). Otherwise such a client is disconnected. */
  readonly isPatient?: boolean;
}
/** A body that the handler pushes. The response ends when the promise settles. */
export interface StreamResponse {
  readonly type: 'stream';
  readonly status: number;
  run(writer: ResponseWriter): Promise<void>;
}
/** Hands over the connection; the server itself writes nothing, not even a response head. */
export interface UpgradeResponse {
  readonly type: 'upgrade';
  /** The status that `run` writes, for logs and metrics. Default: 101. */
  readonly status?: number;
  run(connection: UpgradeSocket): Promise<void>;
}
/** The values themselves, for in-process callers (`request.inProcess`). Never reaches a socket. */
export interface ValueResponse {
  readonly type: 'value';
  readonly status: number;
  readonly value: StoredObject | StoredList | WatchSource | KubeObject;
}
/** The result of a Handler. Headers are in `Exchange.responseHeaders`. */
export type ApiResponse = BytesResponse | ChunksResponse | StreamResponse | UpgradeResponse | ValueResponse;

/** The outcome of an exchange. `status` 0: the client disconnected before a status was written. */
export interface ExchangeOutcome {
  readonly status: number;
  readonly bytesWritten: number;
  /** True if the client or the transport failed before the response was complete. */
  readonly aborted: boolean;
}

/** One request and its response on their way through filters and handlers. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly responseHeaders: ResponseHeaders;
  /** The results of the filters so far. */
  readonly context: RequestContext;
  /** Aborted if the client disconnects, the deadline passes, or the server ends the exchange. Created on first use. */
  readonly signal: AbortSignal;
  /** Ends the exchange on the server's side; `reason` becomes `signal.reason`. */
  abort(reason: unknown): void;
  /**
   * Runs `listener` once, when the response is sent or the client has disconnected. Filters that count, limit, log or
   * audit must finish here, never when `next` returns: a watch returns at once and lasts for an hour.
   */
  onFinished(listener: (outcome: ExchangeOutcome) => void): void;
}

/** Handles an exchange. The outermost filters convert a thrown error to a Status. */
export type Handler = (exchange: Exchange) => Promise<ApiResponse> | ApiResponse;

/** Wraps a handler. It is named, so that the order of the chain can be tested and shown. */
export interface Filter {
  readonly name: string;
  wrap(next: Handler): Handler;
}
