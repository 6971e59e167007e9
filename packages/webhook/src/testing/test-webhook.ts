import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request that a webhook received. */
export interface TestWebhookRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A running webhook on 127.0.0.1. */
export interface TestWebhook extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly TestWebhookRequest[];
  /** The number of connections so far. */
  readonly connections: () => number;
}

/** PEM of a certificate and its key. */
interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Of OpenSSL. Default: Node's. */
  readonly ciphers?: string;
}

/**
 * Starts a webhook over TLS. `respond` gets each request whole; an object that it returns is sent as JSON, and an error
 * as a 500.
 */
export async function startTestWebhook(
  { certificate, key, ciphers }: ServingCertificate,
  respond: (request: TestWebhookRequest, response: ServerResponse) => object | undefined | Promise<object | undefined>,
): Promise<TestWebhook> {
  const requests: TestWebhookRequest[] = [];
  let connections = 0;
  const server = createServer(
    { cert: certificate, key, keepAliveTimeout: 0, ...(ciphers && { ciphers }) },
    async (message, response) => {
      const request = await readRequest(message);
      requests.push(request);
      let body: object | undefined;
      try {
        body = await respond(request, response);
      } catch (error) {
        response.statusCode = 500;
        response.end(String(error));
        return;
      }
      if (body === undefined) return;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    },
  );
  server.on('secureConnection', () => connections++);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      // Those in a handshake are no connections of HTTP yet, and may stay idle.
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function readRequest(message: IncomingMessage): Promise<TestWebhookRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const { method = '', url = '', headers } = message;
  return { method, url, headers, body: Buffer.concat(chunks).toString() };
}
