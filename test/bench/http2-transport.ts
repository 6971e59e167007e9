import { connect, type TLSSocket } from 'node:tls';
import { encodeHeaderBlock, Http2ClientConnection, type StreamEnd, type StreamHandlers } from '@apiserver/http2';
import type { Credentials } from '../harness/admin-client.ts';
import { countLines, type Received, received, type Transport, type TransportOptions } from './transport.ts';

/**
 * A transport over `@apiserver/http2`. The load generator shares the machine with the server: with `node:http2` it
 * takes more CPU than the server for a small response. One process could then not read more events than it measures.
 */
export function openHttp2({ credentials, connections }: TransportOptions): Transport {
  const pool = Array.from({ length: connections }, () => new PooledConnection(credentials));
  let next = 0;
  const pooled = () => pool[next++ % connections] as PooledConnection;
  return {
    send: (method, path, body, contentType) =>
      new Promise((resolve, reject) => {
        const head = headOf(method, path, body, contentType);
        const stream = pooled().usable().request(head, new ResponseReader(resolve, reject));
        stream.write(body === undefined ? noBytes : Buffer.from(body), true);
      }),
    follow: (path, line) =>
      new Promise((resolve, reject) => {
        const head = headOf('GET', path, undefined, undefined);
        const stream = pooled()
          .usable()
          .request(head, new Lines(line, () => resolve(() => stream.cancel()), reject));
        stream.write(noBytes, true);
      }),
    close: () => {
      for (const { connection } of pool) connection?.destroy(new Error('the bench is over'));
    },
  };
}

const noBytes = new Uint8Array(0);

/** A connection that is replaced when the server no longer takes requests on it. */
class PooledConnection {
  readonly #credentials: Credentials;
  connection: Http2ClientConnection | undefined = undefined;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  usable(): Http2ClientConnection {
    if (this.connection?.usable !== true) this.connection = new Http2ClientConnection(this.#dial(), ...unheeded);
    return this.connection;
  }

  #dial(): TLSSocket {
    const { server, ca, cert, key } = this.#credentials;
    const { hostname, port } = new URL(server);
    return connect({ host: hostname, port: Number(port), servername: '', ca, cert, key, ALPNProtocols: ['h2'] });
  }
}

const unheeded = ['secureConnect', { ready() {}, goingAway() {}, closed() {} }] as const;

/** Clients in Go send the length. Repeated headers are encoded once. */
function headOf(method: string, path: string, body: string | undefined, contentType: string | undefined): Uint8Array {
  const pseudo = knownBlock(method, [
    [':method', method],
    [':scheme', 'https'],
    [':authority', 'bench'],
  ]);
  const target = encodeHeaderBlock([[':path', path]]);
  if (body === undefined) return Buffer.concat([pseudo, target]);
  const type = contentType === undefined ? [] : [['content-type', contentType] as const];
  return Buffer.concat([
    pseudo,
    target,
    knownBlock(`type ${contentType}`, type),
    encodeHeaderBlock([['content-length', String(Buffer.byteLength(body))]]),
  ]);
}

const known = new Map<string, Uint8Array>();

function knownBlock(key: string, fields: Parameters<typeof encodeHeaderBlock>[0]): Uint8Array {
  let block = known.get(key);
  if (block === undefined) {
    block = encodeHeaderBlock(fields);
    known.set(key, block);
  }
  return block;
}

function failureOf({ error, resetCode }: StreamEnd): Error | undefined {
  return error ?? (resetCode ? new Error(`the server reset the stream: ${resetCode}`) : undefined);
}

class ResponseReader implements StreamHandlers {
  readonly #resolve: (response: Received) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;

  constructor(resolve: (response: Received) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  header({ name, value }: { readonly name: string; readonly value: string }): void {
    if (name === ':status') this.#status = Number(value);
  }

  data(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  closed(end: StreamEnd): void {
    const failure = failureOf(end);
    if (failure === undefined) this.#resolve(received(this.#status, this.#chunks));
    else this.#reject(failure);
  }
}

class Lines implements StreamHandlers {
  readonly #line: () => void;
  readonly #begun: () => void;
  readonly #reject: (error: Error) => void;

  constructor(line: () => void, begun: () => void, reject: (error: Error) => void) {
    this.#line = line;
    this.#begun = begun;
    this.#reject = reject;
  }

  header({ name }: { readonly name: string }): void {
    if (name === ':status') this.#begun();
  }

  data(chunk: Buffer): void {
    countLines(chunk, this.#line);
  }

  closed(end: StreamEnd): void {
    this.#reject(failureOf(end) ?? new Error('the watch has ended'));
  }
}
