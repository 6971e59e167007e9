import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ApiResponse, Exchange, RequestHeaders } from '@apiserver/apiserver-contracts';
import type { Router } from 'express';

/** Maximum size of a body for a Router, which is buffered: upstream's limit for API requests. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/**
 * Handles an exchange by an express Router. It uses Node's request and response without a connection, and buffers the
 * response. Undefined if the Router passes the request on.
 */
export async function serveByRouter(router: Router, exchange: Exchange): Promise<ApiResponse | undefined> {
  const message = toMessage(exchange, await exchange.request.readBody(MAX_BODY_BYTES));
  return new Promise((resolve, reject) => {
    const response = new BufferedResponse(message, (body) => {
      for (const [name, value] of headersOf(response)) exchange.responseHeaders.set(name, value);
      resolve({ type: 'bytes', status: response.statusCode, body: body });
    });
    const passOn = (error?: unknown) => (error === undefined ? resolve(undefined) : reject(error));
    try {
      // Express declares its own request and response; a Router called directly uses node's.
      Reflect.apply(router, undefined, [message, response, passOn]);
    } catch (error) {
      reject(error);
    }
  });
}

function toMessage({ request }: Exchange, body: Uint8Array): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = request.method;
  message.url = request.url;
  message.httpVersion = request.httpVersion;
  message.rawHeaders = rawHeaders(request.headers);
  for (const name of request.headers.names()) message.headers[name] = request.headers.get(name);
  if (message.headers.host === undefined && request.host !== '') message.headers.host = request.host;
  if (body.length > 0) message.push(body);
  message.push(null);
  return message;
}

function rawHeaders(headers: RequestHeaders): string[] {
  return [...headers.names()].flatMap((name) => headers.all(name).flatMap((value) => [name, value]));
}

function* headersOf(response: ServerResponse): Iterable<readonly [string, string | readonly string[]]> {
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) yield [name, typeof value === 'number' ? String(value) : value];
  }
}

/** A ServerResponse that buffers its output. */
class BufferedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  readonly #done: (body: Uint8Array) => void;
  #ended = false;

  constructor(message: IncomingMessage, done: (body: Uint8Array) => void) {
    super(message);
    this.#done = done;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.#keep(chunk, rest[0]);
    callLast(rest);
    return true;
  }

  override end(...given: unknown[]): this {
    if (this.#ended) return this;
    this.#ended = true;
    this.#keep(given[0], given[1]);
    this.#done(Buffer.concat(this.#chunks));
    this.emit('finish');
    this.emit('close');
    callLast(given);
    return this;
  }

  /** Records the head without writing it. */
  override writeHead(statusCode: number, ...rest: unknown[]): this {
    this.statusCode = statusCode;
    const headers = rest.at(-1);
    if (typeof headers === 'object' && headers !== null) {
      for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    }
    return this;
  }

  #keep(chunk: unknown, encoding: unknown): void {
    if (typeof chunk === 'string') {
      const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
      this.#chunks.push(Buffer.from(chunk, known));
    } else if (chunk instanceof Uint8Array) {
      this.#chunks.push(Buffer.from(chunk));
    }
  }
}

function callLast(given: readonly unknown[]): void {
  const last = given.at(-1);
  if (typeof last === 'function') queueMicrotask(() => last());
}
