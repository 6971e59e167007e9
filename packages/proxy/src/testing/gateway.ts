import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ApiRequest, ApiResponse, Exchange, Handler, ResponseHeaders } from '@apiserver/apiserver-contracts';
import { headerBytes, headerText } from '../backend/header-bytes.js';

/** A handler on a port of 127.0.0.1, for tests of proxies. */
export interface Gateway extends AsyncDisposable {
  readonly port: number;
  /** The method and URL of each finished request. */
  readonly finished: readonly string[];
}

/** Starts a gateway. A StatusError becomes a response with its code and message. */
export async function startGateway(handler: Handler): Promise<Gateway> {
  const finished: string[] = [];
  const server = createServer((message, response) => void serve(message, response).catch(() => response.destroy()));
  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const { exchange, finish } = exchangeOf(message);
    response.once('close', () => {
      finished.push(message.url ?? '');
      finish();
    });
    const result = await resultOf(handler, exchange);
    if (result.type !== 'bytes' && result.type !== 'chunks') throw new Error(`unexpected ${result.type}`);
    for (const [name, value] of exchange.responseHeaders.entries()) {
      response.setHeader(name, typeof value === 'string' ? headerBytes(value) : value.map(headerBytes));
    }
    response.writeHead(result.status);
    if (result.type === 'bytes') return void response.end(result.body);
    // Sends the head. flushHeaders would encode it differently.
    response.write(new Uint8Array());
    for await (const chunk of result.chunks) response.write(chunk);
    response.end();
  };
  server.on('upgrade', async (message, socket, head) => {
    const { exchange, finish } = exchangeOf(message);
    socket.on('error', () => {});
    const result = await resultOf(handler, exchange);
    if (result.type === 'upgrade') await result.run({ socket, head });
    else socket.end(`HTTP/1.1 ${'status' in result ? result.status : 500} Refused\r\nContent-Length: 0\r\n\r\n`);
    finished.push(message.url ?? '');
    finish();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    finished,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function resultOf(handler: Handler, exchange: Exchange): Promise<ApiResponse> {
  try {
    return await handler(exchange);
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { type: 'bytes', status: error.status.code ?? 500, body: Buffer.from(error.status.message ?? '') };
  }
}

function exchangeOf(message: IncomingMessage): { readonly exchange: Exchange; finish(): void } {
  const controller = new AbortController();
  const listeners: (() => void)[] = [];
  const exchange: Exchange = {
    request: requestOf(message),
    responseHeaders: headerMap(),
    context: {
      receivedAt: 0,
      startedAt: 0,
      requestInfo: undefined,
      user: undefined,
      audiences: undefined,
      warnings: { warn: () => {} },
      deadline: undefined,
      audit: undefined,
      watchInitialized: undefined,
      values: new Map(),
    },
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    onFinished: (listener) => listeners.push(() => listener({ status: 0, bytesWritten: 0, aborted: false })),
  };
  return {
    exchange,
    finish: () => {
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

function requestOf(message: IncomingMessage): ApiRequest {
  const [path = '/', rawQuery = ''] = (message.url ?? '/').split('?');
  const all = (name: string) => (message.headersDistinct[name.toLowerCase()] ?? []).map(headerText);
  return {
    method: message.method ?? 'GET',
    url: message.url ?? '/',
    path: decodeURIComponent(path),
    rawQuery,
    query: new URLSearchParams(rawQuery),
    headers: { get: (name) => all(name).join(', ') || undefined, all, names: () => Object.keys(message.headers) },
    httpVersion: '1.1',
    remoteAddress: '192.0.2.7',
    host: message.headers.host ?? '',
    secure: true,
    peerCertificates: undefined,
    readBody: () => Promise.reject(new Error('not in this test')),
    bodyStream: () => (message.headers['content-length'] || message.headers['transfer-encoding'] ? message : undefined),
  };
}

function headerMap(): ResponseHeaders {
  const values = new Map<string, string | readonly string[]>();
  return {
    get: (name) => [values.get(name.toLowerCase()) ?? []].flat().join(', ') || undefined,
    set: (name, value) => void values.set(name.toLowerCase(), value),
    append: (name, value) => void values.set(name.toLowerCase(), [values.get(name.toLowerCase()) ?? [], value].flat()),
    has: (name) => values.has(name.toLowerCase()),
    delete: (name) => void values.delete(name.toLowerCase()),
    entries: () => [...values].map(([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const),
  };
}
