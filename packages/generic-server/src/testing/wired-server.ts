import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { clientPreface, headersFrame, requestFields, settingsFrame } from '@apiserver/http2/testing';
import { serveHttp1 } from '../serving/http1/http1-transport.js';
import { Http2Transport } from '../serving/http2/http2-transport.js';
import type { Http2TransportClass } from '../serving/secure-listener.js';
import { transportContext } from '../serving/transport/transport-context.js';

/** A connection without a network: records the server's output in order. */
class Wire extends Duplex {
  readonly #wrote: (text: string) => void;

  constructor(wrote: (text: string) => void) {
    super();
    this.#wrote = wrote;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#wrote(Buffer.from(chunk).toString('latin1'));
    setImmediate(done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#wrote(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))).toString('latin1'));
    setImmediate(done);
  }

  /** Of a TLS socket: HTTP/2 may be spoken. */
  getProtocol(): string {
    return 'TLSv1.3';
  }
}

/** A client's side of a wire. */
export interface WiredClient {
  /** Sends a request without a body. */
  send(method: string, path: string): void;
  readonly wire: Wire;
}

/** Both transports of a listener over wires. `wrote` gets every write, with the name of its connection. */
export function wiredServer(
  handler: Handler,
  wrote: (name: string, text: string) => void,
  http2Transport: Http2TransportClass = Http2Transport,
) {
  const { logger } = createTestLogger();
  const context = transportContext({ handler, logger, now: Date.now });
  const http2 = new http2Transport(context, 100);
  const http1 = createServer((message, response) => serveHttp1(context, message, response));
  const overHttp1 = (name: string): WiredClient => {
    const wire = new Wire((text) => wrote(name, text));
    http1.emit('connection', wire);
    return { wire, send: (method, path) => void wire.push(`${method} ${path} HTTP/1.1\r\nHost: h\r\n\r\n`) };
  };
  const overHttp2 = (name: string): WiredClient => {
    const wire = new Wire((text) => wrote(name, text));
    http2.accept(wire as unknown as TLSSocket);
    wire.push(Buffer.concat([Buffer.from(clientPreface), settingsFrame()]));
    let next = 1;
    return {
      wire,
      send: (method, path) => {
        wire.push(headersFrame(next, requestFields(path, method)));
        next += 2;
      },
    };
  };
  return { context, http2, connect: { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 } };
}
