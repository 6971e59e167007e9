import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { Credentials } from '../harness/admin-client.ts';

export type Protocol = 'h2' | 'http/1.1';

/** An answer; the body is only put together when somebody wants its text. */
export interface Received {
  readonly status: number;
  readonly bytes: number;
  text(): string;
}

/** What a scenario needs of a connection: as little as possible, so that the generator costs little. */
export interface Transport {
  /** Resolves when the whole answer is there. */
  send(method: string, path: string, body?: string, contentType?: string): Promise<Received>;
  /** Calls back for every line of a streamed answer, until `stop` is called. */
  follow(path: string, line: () => void): Promise<() => void>;
  close(): void;
}

export interface TransportOptions {
  readonly credentials: Credentials;
  /** Connections for HTTP/2 streams, or the most sockets of HTTP/1.1. */
  readonly connections: number;
}

export function openTransport(protocol: Protocol, options: TransportOptions): Transport {
  return protocol === 'h2' ? openHttp2(options) : openHttp1(options);
}

function received(status: number, chunks: readonly Buffer[]): Received {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { status, bytes, text: () => Buffer.concat(chunks).toString('utf8') };
}

const newline = 0x0a;

function countLines(chunk: Buffer, line: () => void): void {
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) line();
}

function openHttp2({ credentials, connections }: TransportOptions): Transport {
  const { server, ca, cert, key } = credentials;
  const connect = () =>
    connectHttp2(server, { ca, cert, key, settings: { initialWindowSize: 4 << 20 }, maxSessionMemory: 512 }).on(
      'connect',
      // A job that needs few connections is over before all of them are there.
      (session) => session.destroyed || session.setLocalWindowSize(64 << 20),
    );
  const sessions = Array.from({ length: connections }, connect);
  let next = 0;
  const open = (method: string, path: string, body: string | undefined, contentType: string | undefined) => {
    const index = next++ % connections;
    let session = sessions[index];
    // Who has reset many streams is told to go to another connection.
    if (session === undefined || session.closed) {
      session = connect();
      sessions[index] = session;
    }
    const type = contentType === undefined ? {} : { 'content-type': contentType };
    // Node leaves it out; clients in Go say it.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    return session.request({ ':method': method, ':path': path, ...type, ...length });
  };
  return {
    send: (method, path, body, contentType) =>
      new Promise((resolve, reject) => {
        const stream = open(method, path, body, contentType);
        const chunks: Buffer[] = [];
        let status = 0;
        stream.on('response', (headers) => {
          status = Number(headers[':status']);
        });
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => resolve(received(status, chunks)));
        stream.on('error', reject);
        stream.end(body);
      }),
    follow: (path, line) =>
      new Promise((resolve, reject) => {
        const stream = open('GET', path, undefined, undefined);
        stream.on('response', () => resolve(() => stream.close()));
        stream.on('data', (chunk: Buffer) => countLines(chunk, line));
        stream.on('error', reject);
        stream.end();
      }),
    close: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function openHttp1({ credentials, connections }: TransportOptions): Transport {
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
