import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ApiResponse } from '@apiserver/apiserver-contracts';
import { pumpChunks } from './chunk-pump.js';
import { CoalescingWriter } from './coalescing-writer.js';
import { contentLengthOf } from './content-length.js';
import { type Http2Head, Http2Request } from './http2-request.js';
import { plainTextError } from './plain-text.js';
import { ServerExchange } from './server-exchange.js';
import { type TransportContext, unreadTime } from './transport-context.js';

/**
 * One exchange on one HTTP/2 stream: runs the handler, writes what it answers, and says how it ended.
 * Anything that goes wrong here ends this stream only.
 */
export class Http2Call {
  readonly #context: TransportContext;
  readonly #stream: ServerHttp2Stream;
  readonly #request: Http2Request;
  readonly #exchange: ServerExchange;
  #status = 0;
  #bytesWritten = 0;
  #complete = false;
  #writer: CoalescingWriter | undefined = undefined;

  constructor(context: TransportContext, head: Http2Head) {
    this.#context = context;
    this.#stream = head.stream;
    this.#request = new Http2Request(head);
    this.#exchange = new ServerExchange(this.#request, context.now());
  }

  get exchange(): ServerExchange {
    return this.#exchange;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      await this.#send(await this.#context.handler(this.#exchange));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The stream has closed, from whichever side. */
  closed(): void {
    this.#writer?.close();
    const bytesWritten = this.#bytesWritten + (this.#writer?.bytesWritten ?? 0);
    const aborted = !this.#complete || this.#stream.rstCode > constants.NGHTTP2_NO_ERROR;
    try {
      this.#exchange.finish({ status: this.#status, bytesWritten, aborted });
    } catch (error) {
      this.#context.logger.error(error, 'Finishing a request failed', { url: this.#exchange.request.url });
    }
    this.#request.closed();
  }

  #send(response: ApiResponse): Promise<void> | void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    switch (response.type) {
      case 'bytes':
        return this.#sendBytes(response.status, response.body);
      case 'chunks':
        return this.#sendChunks(response.status, response.chunks);
      case 'stream':
        return this.#sendStream(response.status, response.run);
      default:
        throw new Error(`a response of type ${response.type} cannot be sent on HTTP/2`);
    }
  }

  #sendBytes(status: number, body: Uint8Array | undefined): void {
    const withoutBody = body === undefined || body.length === 0 || this.#isHead;
    this.#respond(status, contentLengthOf(status, body, this.#isHead), withoutBody);
    this.#complete = true;
    if (!withoutBody) {
      this.#bytesWritten = body.length;
      this.#stream.end(body);
    }
    this.#endRequest();
  }

  async #sendChunks(status: number, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    this.#respond(status, undefined, this.#isHead);
    if (this.#isHead) return this.#completeNow();
    this.#exchange.onAbort(() => this.#reset());
    await pumpChunks(chunks, this.#stream, (bytes) => {
      this.#bytesWritten += bytes;
    });
    this.#completeNow();
  }

  async #sendStream(status: number, run: (writer: CoalescingWriter) => Promise<void>): Promise<void> {
    this.#respond(status, undefined, this.#isHead);
    if (this.#isHead) return this.#completeNow();
    const writer = new CoalescingWriter(this.#stream, this.#context.scheduler);
    this.#writer = writer;
    await run(writer);
    writer.flush();
    if (!this.#stream.destroyed) this.#endWithin(unreadTime);
    this.#completeNow();
  }

  /** A client that does not even read the rest of its stream does not get to keep it queued here. */
  #endWithin(milliseconds: number): void {
    const stream = this.#stream.end();
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), milliseconds).unref();
    stream.once('close', () => clearTimeout(timer));
  }

  #completeNow(): void {
    this.#complete = true;
    this.#endRequest();
  }

  get #isHead(): boolean {
    return this.#exchange.request.method === 'HEAD';
  }

  #respond(status: number, length: number | undefined, endStream: boolean): void {
    const fields = this.#exchange.responseHeaders.seal();
    this.#status = status;
    // HTTP/2 has no such header; upstream takes it as the wish to leave the connection when it is idle.
    const leave = fields['connection'] === 'close';
    if (fields['connection'] !== undefined) delete fields['connection'];
    if (length !== undefined && fields['content-length'] === undefined) fields['content-length'] = String(length);
    this.#stream.respond({ ...fields, ':status': status }, endStream ? { endStream } : undefined);
    if (leave) this.#stream.session?.close();
  }

  /** The answer is complete: a client that still sends its body may stop. Upstream: RST_STREAM(NO_ERROR) */
  #endRequest(): void {
    if (this.#stream.endAfterHeaders || this.#stream.readableEnded) return;
    const stop = () => {
      if (!this.#stream.readableEnded) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    };
    // A head without body is finished before it is sent: closed in the same moment, the stream would take it along.
    const soon = () => void setImmediate(stop);
    if (this.#stream.writableFinished) soon();
    else this.#stream.once('finish', soon);
  }

  #fail(error: unknown): void {
    if (this.#stream.destroyed) return;
    const { method, url } = this.#exchange.request;
    this.#context.logger.error(error, 'Serving a request failed', { method, url });
    try {
      if (this.#stream.headersSent) this.#reset();
      else this.#sendBytes(500, plainTextError(this.#exchange, 500, 'Internal Server Error').body);
    } catch {
      this.#reset();
    }
  }

  #reset(): void {
    if (!this.#complete && !this.#stream.destroyed) this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
