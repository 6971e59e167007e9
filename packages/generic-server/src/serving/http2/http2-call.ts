import type { ChunksResponse, StreamResponse } from '@apiserver/apiserver-contracts';
import { Http2Code, type StreamReceiver } from '@apiserver/http2';
import { pumpChunks } from '../transport/chunk-pump.js';
import type { Connection } from '../transport/connection.js';
import { contentLengthOf } from '../transport/content-length.js';
import { finishExchange } from '../transport/finish-exchange.js';
import type { RequestTarget } from '../transport/request-target.js';
import { type Responder, serveExchange } from '../transport/serve-exchange.js';
import { ServerExchange } from '../transport/server-exchange.js';
import { eventsFirst, type TransportContext, UNREAD_TIME_MS } from '../transport/transport-context.js';
import { httpDate } from './http-date.js';
import { Http2Request } from './http2-request.js';
import { Http2ResponseWriter } from './http2-response-writer.js';
import type { Http2Stream } from './http2-stream.js';

/** Bytes that fit the initial windows of every client, and so do not wait here for long. */
const SENT_AT_ONCE = 64 * 1024 - 1;

/** The stream of a call, its connection and its target. */
export interface Http2CallContext {
  readonly stream: Http2Stream;
  readonly target: RequestTarget;
  readonly connection: Connection;
}

/**
 * One exchange on one HTTP/2 stream: runs the handler, sends the response, and reports the outcome. A failure ends this
 * stream only.
 */
export class Http2Call implements Responder, StreamReceiver {
  readonly #context: TransportContext;
  readonly #stream: Http2Stream;
  readonly #request: Http2Request;
  readonly #exchange: ServerExchange;
  #status = 0;
  #bytesWritten = 0;
  #complete = false;
  #response: Http2ResponseWriter | undefined = undefined;

  constructor(context: TransportContext, { stream, target, connection }: Http2CallContext) {
    this.#context = context;
    this.#stream = stream;
    this.#request = new Http2Request(stream, target, connection);
    this.#exchange = new ServerExchange(this.#request, context.now());
  }

  /** Never rejects. */
  run(): Promise<void> {
    return serveExchange(this.#context, this.#exchange, this);
  }

  data(chunk: Buffer): void {
    this.#request.data(chunk);
  }

  bodyEnded(): void {
    this.#request.bodyEnded();
  }

  drained(): void {
    this.#response?.release();
  }

  /** The stream has closed on either side. */
  closed(): void {
    this.#response?.release();
    const bytesWritten = this.#bytesWritten + (this.#response?.bytesWritten ?? 0);
    const aborted = !this.#complete || !this.#stream.localEnded;
    finishExchange(this.#context, this.#exchange, { status: this.#status, bytesWritten, aborted });
    this.#request.closed();
  }

  get isGone(): boolean {
    return this.#stream.closed;
  }

  get hasResponded(): boolean {
    return this.#stream.responded;
  }

  sendBytes(status: number, body: Uint8Array | undefined): void {
    const withoutBody = body === undefined || body.length === 0 || this.#isHead;
    this.#respond(status, contentLengthOf(status, body, this.#isHead), withoutBody);
    this.#complete = true;
    this.#bytesWritten = body?.length ?? 0;
    if (withoutBody) return;
    if (body.length > SENT_AT_ONCE) this.#breakOffOnAbort();
    this.#stream.write(body);
    this.#stream.end();
  }

  async sendChunks({ status, chunks, giveBack, isPatient = false }: ChunksResponse): Promise<void> {
    const response = this.#begin(status);
    if (response === undefined) return;
    this.#breakOffOnAbort();
    this.#stream.copied = giveBack;
    this.#stream.isPatient = isPatient;
    await pumpChunks(chunks, response, () => {});
    this.#complete = true;
  }

  async sendStream(status: number, run: StreamResponse['run']): Promise<void> {
    const response = this.#begin(status);
    if (response === undefined) return;
    this.#stream.isEvents = true;
    await run(response);
    // A client that does not read the rest of its stream cannot keep it queued here.
    this.#stream.end(UNREAD_TIME_MS);
    this.#complete = true;
  }

  /** Sends the head of a response with a body; returns undefined for HEAD. */
  #begin(status: number): Http2ResponseWriter | undefined {
    this.#respond(status, undefined, this.#isHead);
    if (this.#isHead) {
      this.#complete = true;
      return undefined;
    }
    this.#response = new Http2ResponseWriter(this.#stream);
    return this.#response;
  }

  get #isHead(): boolean {
    return this.#exchange.request.method === 'HEAD';
  }

  #respond(status: number, length: number | undefined, endStream: boolean): void {
    eventsFirst(this.#context, this.#request);
    const fields = this.#exchange.responseHeaders.seal();
    this.#status = status;
    // HTTP/2 forbids this header. Upstream sends GOAWAY for it.
    const goAway = fields['connection'] === 'close';
    if (fields['connection'] !== undefined) delete fields['connection'];
    if (length !== undefined && fields['content-length'] === undefined) fields['content-length'] = String(length);
    fields['date'] ??= httpDate(this.#context.now());
    this.#stream.respond(status, fields, endStream);
    if (goAway) this.#stream.goAway();
  }

  cut(): void {
    this.#stream.reset(Http2Code.internalError);
  }

  /** When the request must end, the unread rest of the response is dropped. */
  #breakOffOnAbort(): void {
    this.#exchange.onAbort(() => this.cut());
  }

  breakOff(): void {
    if (!this.#complete) this.cut();
  }
}
