import { Buffer } from 'node:buffer';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { connect as connectTls } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterEach } from 'vitest';
import { createSecureListener, type SecureListenerOptions } from '../serving/secure-listener.js';

export const authority = makeTestCertificate({ commonName: 'authority', authority: true });
export const between = makeTestCertificate({ commonName: 'between', authority: true, issuer: authority });
export const serving = makeTestCertificate({
  commonName: 'server',
  issuer: authority,
  hosts: ['localhost', '127.0.0.1'],
});
export const alice = makeTestCertificate({ commonName: 'alice', issuer: between });

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export async function listen(
  handler: Handler,
  changes: Partial<SecureListenerOptions> = {},
  { port: wanted = 0, sharePort = false } = {},
) {
  const { logger, lines } = createTestLogger(9);
  const listener = createSecureListener({
    tls: {
      certificate: serving.certificate,
      key: serving.key,
      clientCA: authority.certificate,
      minVersion: 'TLSv1.2',
      cipherSuites: [],
    },
    handler,
    logger,
    now: Date.now,
    maxConcurrentStreams: 100,
    disableHttp2: false,
    ...changes,
  });
  cleanups.push(() => listener[Symbol.asyncDispose]());
  const { port } = await listener.listen('127.0.0.1', wanted, { sharePort });
  return { listener, port, lines };
}

export function session(port: number, options: object = {}): ClientHttp2Session {
  const client = connectHttp2(`https://localhost:${port}`, { ca: authority.certificate, ...options });
  client.on('error', () => {});
  cleanups.push(() => client.destroy());
  return client;
}

export interface FetchedResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly rstCode?: number;
}

export function fetchHttp2(
  client: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  body?: string,
): Promise<FetchedResponse> {
  return new Promise((resolve, reject) => {
    const stream = client.request({ ':path': '/', ...headers }, { endStream: body === undefined });
    let head: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (received) => {
      head = received;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', (error) => (stream.rstCode === 0 ? reject(error) : undefined));
    stream.on('close', () =>
      resolve({
        status: Number(head[':status']),
        headers: head,
        body: Buffer.concat(chunks).toString(),
        rstCode: stream.rstCode,
      }),
    );
    if (body !== undefined) stream.end(body);
  });
}

export function fetchHttp1(port: number, options: object = {}, body?: string): Promise<FetchedResponse> {
  return new Promise((resolve, reject) => {
    const request = requestHttps(
      { host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate, agent: false, ...options },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    // As bytes: with a text, Node writes the head in the text's encoding.
    request.end(body === undefined ? body : Buffer.from(body));
  });
}

/** Sends raw bytes. Returns everything that the server sends until it closes the connection. */
export function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate });
    let response = '';
    socket.on('secureConnect', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString();
    });
    socket.on('close', () => resolve(response));
    socket.on('error', (error) => (response === '' ? reject(error) : resolve(response)));
  });
}
