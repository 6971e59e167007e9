import { Readable } from 'node:stream';
import { newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';
import type {
  ApiRequest,
  ApiResponse,
  Exchange,
  ExchangeOutcome,
  PeerCertificates,
  RequestContext,
  RequestHeaders,
  RequestInfo,
  ResponseHeaders,
  ResponseWriter,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { resolveRequestInfo } from '../request-info.js';

/** A request of a test. Default: `GET /`. */
export interface TestExchangeOptions {
  readonly method?: string;
  /** Path and query as sent. Default `/`. */
  readonly url?: string;
  /** An array is a header sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Objects are sent as JSON. */
  readonly body?: string | Uint8Array | object;
  /** Default: none. */
  readonly user?: UserInfo;
  /** `undefined` leaves the context without one; default: determined from the URL. */
  readonly requestInfo?: RequestInfo | undefined;
  readonly inProcess?: ApiRequest['inProcess'];
  readonly peerCertificates?: PeerCertificates;
  readonly httpVersion?: ApiRequest['httpVersion'];
  readonly remoteAddress?: string;
  /** Milliseconds since the epoch. Default 0. */
  readonly receivedAt?: number;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
}

/** An Exchange without a socket, whose events and results a test controls. */
export interface TestExchange extends Exchange {
  /** The texts of the warnings recorded so far. */
  readonly warnings: readonly string[];
  /** Ends the exchange: runs the onFinished listeners, once. */
  finish(outcome?: Partial<ExchangeOutcome>): void;
}

/** Makes an Exchange for a test of a handler or filter. No timers, no sockets: nothing to clean up. */
export function createTestExchange(options: TestExchangeOptions = {}): TestExchange {
  const warnings: string[] = [];
  const listeners: ((outcome: ExchangeOutcome) => void)[] = [];
  const controller = new AbortController();
  const request = testRequest(options);
  const context: RequestContext = {
    receivedAt: options.receivedAt ?? 0,
    startedAt: 0,
    requestInfo: 'requestInfo' in options ? options.requestInfo : resolveRequestInfo(request),
    user: options.user,
    audiences: undefined,
    warnings: { warn: (text) => void (warnings.includes(text) || warnings.push(text)) },
    deadline: options.deadline,
    audit: undefined,
    watchInitialized: undefined,
    values: new Map(),
  };
  return {
    request,
    responseHeaders: testResponseHeaders(),
    context,
    signal: controller.signal,
    warnings,
    abort: (reason) => controller.abort(reason),
    onFinished: (listener) => void listeners.push(listener),
    finish: (outcome = {}) => {
      for (const listener of listeners.splice(0)) {
        listener({ status: 200, bytesWritten: 0, aborted: false, ...outcome });
      }
    },
  };
}

function testRequest(options: TestExchangeOptions): ApiRequest {
  const url = options.url ?? '/';
  const queryAt = url.indexOf('?');
  const rawQuery = queryAt === -1 ? '' : url.slice(queryAt + 1);
  return {
    method: options.method ?? 'GET',
    url,
    path: decodeURIComponent(queryAt === -1 ? url : url.slice(0, queryAt)),
    rawQuery,
    // A second question mark belongs to the first name.
    query: new URLSearchParams(`?${rawQuery}`),
    headers: testRequestHeaders(options.headers ?? {}),
    httpVersion: options.httpVersion ?? '2.0',
    remoteAddress: options.remoteAddress ?? '127.0.0.1',
    host: 'localhost',
    secure: true,
    peerCertificates: options.peerCertificates,
    readBody: bodyReader(bodyBytes(options.body)),
    bodyStream: () => (options.body === undefined ? undefined : Readable.from([bodyBytes(options.body)])),
    ...(options.inProcess && { inProcess: options.inProcess }),
  };
}

function bodyBytes(body: TestExchangeOptions['body']): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function bodyReader(bytes: Uint8Array): ApiRequest['readBody'] {
  return (limit) =>
    bytes.length > limit ? Promise.reject(newRequestEntityTooLarge(`limit is ${limit}`)) : Promise.resolve(bytes);
}

function testRequestHeaders(headers: NonNullable<TestExchangeOptions['headers']>): RequestHeaders {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), typeof value === 'string' ? [value] : value]),
  );
  return {
    get: (name) => values.get(name.toLowerCase())?.join(', '),
    all: (name) => values.get(name.toLowerCase()) ?? [],
    names: () => values.keys(),
  };
}

function testResponseHeaders(): ResponseHeaders {
  const values = new Map<string, string | readonly string[]>();
  return {
    get: (name) => {
      const value = values.get(name.toLowerCase());
      return value === undefined || typeof value === 'string' ? value : value.join(', ');
    },
    set: (name, value) => void values.set(name.toLowerCase(), value),
    append: (name, value) => {
      const present = values.get(name.toLowerCase());
      values.set(name.toLowerCase(), present === undefined ? value : [present, value].flat());
    },
    has: (name) => values.has(name.toLowerCase()),
    delete: (name) => void values.delete(name.toLowerCase()),
    entries: () => values.entries(),
  };
}

/** A ResponseWriter that keeps what is written. */
export interface TestResponseWriter extends ResponseWriter {
  readonly chunks: readonly Uint8Array[];
  /** Everything written so far as UTF-8. */
  text(): string;
  /** The number of bytes that the writer reports as queued; raise it to simulate a slow client. */
  bufferedBytes: number;
  closed: boolean;
}

/** Makes a writer for tests of stream responses; it accepts everything and buffers nothing. */
export function createTestResponseWriter(): TestResponseWriter {
  const chunks: Uint8Array[] = [];
  return {
    chunks,
    bufferedBytes: 0,
    closed: false,
    text: () => Buffer.concat(chunks).toString(),
    write: (chunk) => void chunks.push(chunk),
    drained: () => Promise.resolve(),
  };
}

/**
 * The whole body of a bytes or chunks response; a stream response is first run to its end. Throws for the other types.
 */
export async function responseBody(response: ApiResponse): Promise<Uint8Array> {
  switch (response.type) {
    case 'bytes':
      return response.body ?? new Uint8Array();
    case 'chunks': {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.chunks) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
    case 'stream': {
      const writer = createTestResponseWriter();
      await response.run(writer);
      return Buffer.concat(writer.chunks);
    }
    default:
      throw new TypeError(`a ${response.type} response has no body`);
  }
}
