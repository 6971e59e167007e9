import { Agent, request as httpsRequest } from 'node:https';
import { countLines, received, type Transport, type TransportOptions } from './transport.ts';

/** A transport over as many sockets as are needed, at most this many connections. */
export function openHttp1({ credentials, connections }: TransportOptions): Transport {
  const { server, ca, cert, key } = credentials;
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca, cert, key });
  const open = (method: string, path: string, body?: string, contentType?: string) =>
    httpsRequest(new URL(path, server), {
      method,
      agent,
      headers: {
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
  return {
    send: (method, path, body, contentType) =>
      new Promise((resolve, reject) => {
        const request = open(method, path, body, contentType).on('error', reject);
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(received(response.statusCode ?? 0, chunks)));
          response.on('error', reject);
        });
        request.end(body);
      }),
    follow: (path, line) =>
      new Promise((resolve, reject) => {
        const request = open('GET', path).on('error', reject);
        request.on('response', (response) => {
          response.on('data', (chunk: Buffer) => countLines(chunk, line));
          response.on('error', () => {});
          resolve(() => request.destroy());
        });
        request.end();
      }),
    close: () => agent.destroy(),
  };
}
