import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { ApiResponse, Exchange, Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { type Http2Fixture, largeBody, smallBody, tick, tickMilliseconds } from '@apiserver/http2/testing';
import { createSecureListener, type Http2TransportClass } from '../serving/secure-listener.js';
import { authority, serving } from './listener-fixture.js';

const CHUNK_BYTES = 100_000;

/** The fixture of the suite for HTTP/2 servers on a secure listener. */
export async function startHttp2Listener(http2Transport?: Http2TransportClass): Promise<Http2Fixture> {
  let open = 0;
  const handler: Handler = (exchange) => {
    open++;
    exchange.onFinished(() => open--);
    return response(exchange);
  };
  const { certificate, key } = serving;
  const listener = createSecureListener({
    tls: { certificate, key, clientCA: authority.certificate, minVersion: 'TLSv1.2', cipherSuites: [] },
    handler,
    logger: createTestLogger(9).logger,
    now: Date.now,
    maxConcurrentStreams: 100,
    disableHttp2: false,
    ...(http2Transport !== undefined && { http2Transport }),
  });
  const { port } = await listener.listen('127.0.0.1', 0);
  return {
    connect: () => connected(port),
    openRequests: () => open,
    [Symbol.asyncDispose]: () => listener.close(0),
  };
}

function connected(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const ca = authority.certificate;
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca, ALPNProtocols: ['h2'] });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

async function response(exchange: Exchange): Promise<ApiResponse> {
  switch (exchange.request.path) {
    case '/small':
      return { type: 'bytes', status: 200, body: Buffer.from(smallBody) };
    case '/large':
      return { type: 'chunks', status: 200, chunks: slices(largeBody()) };
    case '/echo':
      return echo(exchange);
    case '/endless':
      return {
        type: 'stream',
        status: 200,
        run: async (writer) => {
          for (; !writer.closed; await sleep(tickMilliseconds)) {
            if (writer.bufferedBytes === 0) writer.write(Buffer.from(tick));
          }
        },
      };
    case '/hang':
      await new Promise<void>((resolve) => exchange.signal.addEventListener('abort', () => resolve()));
      return { type: 'bytes', status: 500, body: undefined };
    default:
      return { type: 'bytes', status: 404, body: undefined };
  }
}

function echo(exchange: Exchange): ApiResponse {
  const body = exchange.request.bodyStream();
  return {
    type: 'stream',
    status: 200,
    run: async (writer) => {
      try {
        for await (const chunk of body ?? []) {
          writer.write(chunk);
          await writer.drained();
        }
      } catch {
        // The client has gone.
      }
    },
  };
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
