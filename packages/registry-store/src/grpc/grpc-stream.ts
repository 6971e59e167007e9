import { messageOf } from '@apiserver/apimachinery/errors';
import type { HeaderField, Http2ClientStream, StreamEnd, StreamHandlers } from '@apiserver/http2';
import { GrpcCode, GrpcError } from './grpc-error.js';
import { frameMessage, MessageReader } from './message-frames.js';

/**
 * Receives the events of a stream: messages in order, then one end. Neither is called synchronously by the opening
 * call.
 */
export interface GrpcStreamHandlers {
  message(bytes: Buffer): void;
  /** Without an error: the server ended the stream with OK. */
  end(error?: GrpcError): void;
}

/** One call. */
export class GrpcStream implements StreamHandlers {
  readonly #handlers: GrpcStreamHandlers;
  readonly #reader: MessageReader;
  #stream: Http2ClientStream | undefined;
  #httpStatus = '';
  #status: string | undefined;
  #text = '';
  #ended = false;

  /** `maxMessage` is the maximum size of a server's message in bytes. */
  constructor(
    request: (handlers: StreamHandlers) => Http2ClientStream,
    handlers: GrpcStreamHandlers,
    maxMessage?: number,
  ) {
    this.#handlers = handlers;
    this.#reader = new MessageReader((message) => {
      if (!this.#ended) handlers.message(message);
    }, maxMessage);
    try {
      this.#stream = request(this);
    } catch (error) {
      queueMicrotask(() => this.#end(asUnsent(error)));
    }
  }

  /** Sends a message; does nothing after the end of the stream. */
  send(message: Uint8Array, { last = false }: { readonly last?: boolean } = {}): void {
    if (!this.#ended) this.#stream?.write(frameMessage(message), last);
  }

  /** Aborts the stream; `end` receives the error, and is not called without one. Idempotent. */
  abort(error?: GrpcError): void {
    if (error === undefined) this.#ended = true;
    else this.#end(error);
    this.#stream?.cancel();
  }

  header({ name, value }: HeaderField): void {
    if (name === 'grpc-status') this.#status = value;
    else if (name === 'grpc-message') this.#text = value;
    else if (name === ':status') this.#httpStatus = value;
  }

  data(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.abort(
        error instanceof GrpcError ? error : new GrpcError(GrpcCode.unknown, messageOf(error), 'unknown', error),
      );
    }
  }

  closed(end: StreamEnd): void {
    this.#end(this.#result(end));
  }

  /** The result of a closed stream. */
  #result({ resetCode, error, unsent }: StreamEnd): GrpcError | undefined {
    if (this.#status === '0') return undefined;
    if (this.#status !== undefined) {
      return new GrpcError(Number(this.#status), decodeMessage(this.#text), 'refused');
    }
    return new GrpcError(GrpcCode.unavailable, this.#whyBroken(resetCode, error), unsent ? 'unsent' : 'unknown', error);
  }

  #whyBroken(resetCode: number | undefined, error: Error | undefined): string {
    if (error !== undefined) return error.message;
    if (resetCode !== undefined) return `the stream was reset (${resetCode})`;
    return `the response has no gRPC status (HTTP ${this.#httpStatus})`;
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

/** gRPC percent-encodes what is not printable ASCII. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
