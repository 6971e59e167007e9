import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { GrpcCode, GrpcError } from './grpc-error.js';
import { frameMessage, MessageReader } from './message-frames.js';

/** Gets what a stream brings: messages in order, then one end. Neither is called from within the opening call. */
export interface GrpcStreamHandlers {
  message(bytes: Buffer): void;
  /** Without an error: the server has ended the stream with OK. */
  end(error?: GrpcError): void;
}

/** One call. */
export class GrpcStream {
  readonly #handlers: GrpcStreamHandlers;
  readonly #reader: MessageReader;
  #stream: ClientHttp2Stream | undefined;
  #headers: IncomingHttpHeaders | undefined;
  #failure: unknown;
  #connected = false;
  #ended = false;

  /** `maxMessage`: the bytes a message of the server's may have. */
  constructor(request: () => ClientHttp2Stream, handlers: GrpcStreamHandlers, maxMessage?: number) {
    this.#handlers = handlers;
    this.#reader = new MessageReader((message) => {
      if (!this.#ended) handlers.message(message);
    }, maxMessage);
    try {
      this.#listen(request());
    } catch (error) {
      queueMicrotask(() => this.#end(asUnsent(error)));
    }
  }

  /** Sends a message; dropped when the stream has ended. */
  send(message: Uint8Array, { last = false }: { readonly last?: boolean } = {}): void {
    if (this.#stream === undefined || this.#ended) return;
    const frame = frameMessage(message);
    if (last) this.#stream.end(frame);
    else this.#stream.write(frame);
  }

  /** Breaks the stream off; `end` is told the error, or nothing at all without one. Idempotent. */
  abort(error?: GrpcError): void {
    if (error === undefined) this.#ended = true;
    else this.#end(error);
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #listen(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    this.#connected = stream.session?.connecting === false;
    if (!this.#connected) {
      stream.session?.once('connect', () => {
        this.#connected = true;
      });
    }
    stream.on('response', (headers) => {
      this.#headers = headers;
    });
    stream.on('trailers', (headers) => {
      this.#headers = headers;
    });
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', (error) => {
      this.#failure = error;
    });
    stream.on('close', () => this.#end(this.#result(stream.rstCode)));
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.abort(
        error instanceof GrpcError ? error : new GrpcError(GrpcCode.unknown, messageOf(error), 'unknown', error),
      );
    }
  }

  /** What the closed stream comes to. */
  #result(resetCode: number | undefined): GrpcError | undefined {
    const status = this.#headers?.['grpc-status'];
    if (status === '0') return undefined;
    if (typeof status === 'string') {
      const text = this.#headers?.['grpc-message'];
      return new GrpcError(Number(status), decodeMessage(typeof text === 'string' ? text : ''), 'refused');
    }
    const unsent = !this.#connected || resetCode === constants.NGHTTP2_REFUSED_STREAM;
    const text = this.#failure === undefined ? `the stream was reset (${resetCode})` : messageOf(this.#failure);
    return new GrpcError(GrpcCode.unavailable, text, unsent ? 'unsent' : 'unknown', this.#failure);
  }

  #end(error: GrpcError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#handlers.end(error);
  }
}

function asUnsent(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  return new GrpcError(GrpcCode.unavailable, messageOf(error), 'unsent', error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** gRPC percent-encodes what is not printable ASCII. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
