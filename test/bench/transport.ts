import type { Credentials } from '../harness/admin-client.ts';

export type Protocol = 'h2' | 'http/1.1';

/** A response. The body is joined when its text is read. */
export interface Received {
  readonly status: number;
  readonly bytes: number;
  text(): string;
}

/** A connection as scenarios use it. It is minimal, so that the generator costs little. */
export interface Transport {
  /** Resolves when the whole response is there. */
  send(method: string, path: string, body?: string, contentType?: string): Promise<Received>;
  /** Calls back for every line of a streamed response, until the returned function is called. */
  follow(path: string, line: () => void): Promise<() => void>;
  close(): void;
}

export interface TransportOptions {
  readonly credentials: Credentials;
  /** Connections for HTTP/2 streams, or the most sockets of HTTP/1.1. */
  readonly connections: number;
}

/** A response of these parts. */
export function received(status: number, chunks: readonly Buffer[]): Received {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { status, bytes, text: () => Buffer.concat(chunks).toString('utf8') };
}

const newline = 0x0a;

/** Calls back for each line that ends in the chunk. */
export function countLines(chunk: Buffer, line: () => void): void {
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) line();
}
