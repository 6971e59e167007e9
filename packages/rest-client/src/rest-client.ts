import type { IncomingMessage } from 'node:http';
import type { Status } from '@apiserver/apimachinery';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { hasMoreValues, parseJsonText } from '@apiserver/apimachinery/codec/json';
import { messageOf, newGenericServerResponse, StatusError } from '@apiserver/apimachinery/errors';
import { percentDecoded } from '@apiserver/apimachinery/text';
import {
  type BackendLocation,
  dialErrorText,
  fetchKept,
  type HttpProxies,
  hostOf,
  httpProxiesOf,
  locationText,
  proxyErrorText,
  readText,
} from '@apiserver/proxy/backend';
import { RemoteServerError } from './remote-server-error.js';
import type { RestConfig } from './rest-config.js';
import type { RestAttempt, RestObserver } from './rest-observer.js';
import type { RestRequest, RestSender, RestTextResponse } from './rest-request.js';

/** Bytes of a response that are taken: far more than any object may have. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Attempts after a response with Retry-After. Upstream: maxRetries of client-go/rest */
const MAX_RETRIES = 10;

/** Dependencies of a client. */
export interface RestClientOptions {
  /** `sample-apiserver/v1.0.0`: the name by which the other server knows this program. */
  readonly userAgent: string;
  readonly clock: Clock;
  /** Default: application/json. */
  readonly accept?: string;
  /** Default: 32 MiB. */
  readonly maxResponseBytes?: number;
  /** Variables that name proxies. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly observer?: RestObserver;
}

/**
 * A client of another API server. Connections are pooled and do not keep the process alive. It follows no redirects.
 * Upstream: k8s.io/client-go/rest.RESTClient
 */
export class RestClient implements RestSender {
  readonly #config: RestConfig;
  readonly #options: RestClientOptions;
  readonly #proxies: HttpProxies;

  constructor(config: RestConfig, options: RestClientOptions) {
    this.#config = config;
    this.#options = options;
    this.#proxies = httpProxiesOf(options.environment ?? process.env);
  }

  async send(request: RestRequest, signal?: AbortSignal): Promise<RestTextResponse> {
    const started = performance.now();
    const attempt: RestAttempt = { host: hostOf(this.#locationOf(request)), method: request.method };
    try {
      return await this.#sendUntilFinal(request, attempt, signal ?? new AbortController().signal);
    } finally {
      this.#options.observer?.sent(attempt, performance.now() - started);
    }
  }

  async #sendUntilFinal(request: RestRequest, attempt: RestAttempt, signal: AbortSignal): Promise<RestTextResponse> {
    const { observer } = this.#options;
    for (let retries = 0; ; retries++) {
      const response = await this.#fetch(request, signal);
      const code = response.statusCode ?? 0;
      const seconds = retryAfterSeconds(response);
      if ((code === 429 || code >= 500) && seconds > 0 && retries < MAX_RETRIES) {
        observer?.retried(attempt, String(code));
        response.destroy();
        await sleep(this.#options.clock, seconds * 1_000, signal);
        signal.throwIfAborted();
        continue;
      }
      const text = await this.#textOf(response, signal);
      observer?.responseRead(attempt, Buffer.byteLength(text));
      const contentType = response.headers['content-type'] ?? '';
      if (isSuccess(response)) return new TextResponse(code, text, contentType);
      throw failureOf(request, response, text);
    }
  }

  async open(request: RestRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#fetch(request, signal);
    if (!isSuccess(response)) throw failureOf(request, response, await this.#textOf(response, signal));
    return response;
  }

  async #fetch(request: RestRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, body } = request;
    const location = this.#locationOf(request);
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const headers = { ...request.headers, ...this.#headers(location), ...contentHeaders(bytes) };
    const attempt: RestAttempt = { host: hostOf(location), method };
    const { observer } = this.#options;
    let target = location;
    let proxy: string | undefined;
    try {
      observer?.connecting?.(attempt.host, location.path);
      proxy = this.#proxies(location);
      // A proxy finds the server by its name.
      if (proxy === undefined) target = await this.#targetOf(location);
      const response = await fetchKept(target, this.#config.transport(), { method, headers, bytes, proxy }, signal);
      observer?.responded(attempt, String(response.statusCode), bytes?.length);
      observer?.connected(response.socket);
      return response;
    } catch (error) {
      observer?.responded(attempt, '<error>', bytes?.length);
      if (signal.aborted) throw signal.reason;
      const name = method === 'GET' ? 'Get' : 'Post';
      const reason = (proxy && proxyErrorText(error, proxy)) ?? dialErrorText(error, target);
      observer?.refused(reason);
      throw new RemoteServerError(`${name} "${locationText(location)}": ${reason}`, { cause: error });
    }
  }

  async #targetOf(location: BackendLocation): Promise<BackendLocation> {
    if (this.#config.address === undefined) return location;
    const { hostname, port } = await this.#config.address();
    return { ...location, hostname, port: String(port) };
  }

  async #textOf(response: IncomingMessage, signal: AbortSignal): Promise<string> {
    const { maxResponseBytes = MAX_RESPONSE_BYTES } = this.#options;
    const tooLarge = new RemoteServerError(`the response of the server is larger than ${maxResponseBytes} bytes`);
    try {
      return await readText(response, maxResponseBytes, () => tooLarge);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error === tooLarge) throw error;
      const reason = `unexpected error when reading response body. Please retry. Original error: ${readErrorText(error)}`;
      throw new RemoteServerError(reason, { cause: error });
    }
  }

  #headers(location: BackendLocation): Record<string, string | readonly string[]> {
    return {
      Host: hostOf(location),
      'User-Agent': this.#options.userAgent,
      Accept: this.#options.accept ?? 'application/json',
      ...this.#config.credentials(),
    };
  }

  #locationOf({ path, query }: RestRequest): BackendLocation {
    const { protocol, hostname, port, pathname } = this.#config.server;
    return {
      scheme: protocol === 'https:' ? 'https' : 'http',
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${(percentDecoded(pathname) ?? pathname).replace(/\/$/, '')}${path}` || '/',
      rawQuery: query?.toString() ?? '',
    };
  }
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 206;
}

function contentHeaders(bytes: Uint8Array | undefined): Record<string, string> {
  if (bytes === undefined) return {};
  return { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
}

function retryAfterSeconds({ headers }: IncomingMessage): number {
  const text = headers['retry-after'] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** Parsed on demand. */
class TextResponse implements RestTextResponse {
  readonly code: number;
  readonly text: string;
  readonly contentType: string;

  constructor(code: number, text: string, contentType: string) {
    this.code = code;
    this.text = text;
    this.contentType = contentType;
  }

  get value(): unknown {
    return jsonOf(this.text);
  }
}

/** The text of Go for a connection that ends within a body. */
function readErrorText(error: unknown): string {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? 'unexpected EOF' : messageOf(error);
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** Upstream: maxUnstructuredResponseTextBytes of client-go/rest */
const MAX_MESSAGE_BYTES = 2048;
/** Values of a Status. One with more is not read: that would take too long. Upstream has no such bound. */
const MAX_STATUS_VALUES = 50_000;
/** Bytes of a Status: its message reaches the log and the response to a client. Upstream has no such bound. */
const MAX_STATUS_BYTES = 2 * 2 ** 20;

/** Upstream: transformResponse and newUnstructuredResponseError of client-go/rest */
function failureOf({ method, resource }: RestRequest, response: IncomingMessage, text: string): StatusError {
  const bytes = Buffer.from(text);
  const isTooLarge = bytes.length > MAX_STATUS_BYTES || hasMoreValues(bytes, MAX_STATUS_VALUES);
  const value = isTooLarge ? undefined : jsonOf(text);
  if (isFailure(value)) return new StatusError(value);
  const contentType = response.headers['content-type'] ?? '';
  const isText = contentType === '' || contentType.toLowerCase().startsWith('text/');
  const message = bytes.subarray(0, MAX_MESSAGE_BYTES).toString().trim();
  return newGenericServerResponse({
    code: response.statusCode ?? 0,
    verb: method,
    ...(resource && { resource }),
    serverMessage: isText ? message : 'unknown',
    retryAfterSeconds: retryAfterSeconds(response),
    isUnexpectedResponse: true,
  });
}

/** A Status of a server without versions has no apiVersion. Upstream: Result.Error of client-go/rest */
function isFailure(value: unknown): value is Status {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion = 'v1', kind, status, code = 0 }: Partial<Record<keyof Status, unknown>> = value;
  const isStatus = kind === 'Status' && (apiVersion === 'v1' || apiVersion === '');
  return isStatus && status === 'Failure' && typeof code === 'number';
}
