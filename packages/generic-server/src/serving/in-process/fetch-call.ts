import type { ChunksResponse, StreamResponse } from '@apiserver/apiserver-contracts';
import { httpDate } from '../http2/http-date.js';
import { pumpChunks } from '../transport/chunk-pump.js';
import { contentLengthOf } from '../transport/content-length.js';
import { finishExchange } from '../transport/finish-exchange.js';
import { type Responder, serveExchange } from '../transport/serve-exchange.js';
import { ServerExchange } from '../transport/server-exchange.js';
import type { TransportContext } from '../transport/transport-context.js';
import type { FetchRequest } from './fetch-request.js';
import { StreamedBody } from './streamed-body.js';

/** Statuses with which the fetch API takes no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The dependencies of a call on its server. */
export type FetchContext = Pick<TransportContext, 'handler' | 'logger' | 'now'>;

/** One exchange without a connection: runs the handler, and gives its response as one of the fetch API. */
export class FetchCall implements Responder {
  readonly #context: FetchContext;
  readonly #exchange: ServerExchange;
  readonly #signal: AbortSignal;
  readonly #response = Promise.withResolvers<Response>();
  #body: StreamedBody | undefined = undefined;
  #status = 0;

  constructor(context: FetchContext, request: FetchRequest, signal: AbortSignal) {
    this.#context = context;
    this.#exchange = new ServerExchange(request, context.now());
    this.#signal = signal;
  }

  /** Resolves with the head of the response. Rejects with the reason of the signal, if it aborts before that. */
  run(): Promise<Response> {
    const { promise, reject } = this.#response;
    const abort = () => {
      reject(this.#signal.reason);
      this.#body?.breakOff(this.#signal.reason);
      this.#finish(true);
    };
    this.#signal.addEventListener('abort', abort, { once: true });
    this.#exchange.onFinished(() => this.#signal.removeEventListener('abort', abort));
    if (this.#signal.aborted) abort();
    else void serveExchange(this.#context, this.#exchange, this);
    return promise;
  }

  get isGone(): boolean {
    return this.#signal.aborted;
  }

  get hasResponded(): boolean {
    return this.#body !== undefined;
  }

  sendBytes(status: number, body: Uint8Array | undefined): void {
    const length = contentLengthOf(status, body, this.#isHead);
    const withoutBody = body === undefined || body.length === 0 || this.#isWithoutBody(status);
    this.#respond(status, withoutBody ? null : Uint8Array.from(body), length);
    this.#finish(false, withoutBody ? 0 : body.length);
  }

  async sendChunks({ status, chunks, giveBack }: ChunksResponse): Promise<void> {
    const body = this.#begin(status);
    if (body === undefined) return;
    this.#exchange.onAbort((reason) => body.breakOff(reason));
    await pumpChunks(returned(chunks, giveBack), body, () => {});
    this.#finish(body.closed && this.#signal.aborted, body.bytesWritten);
  }

  async sendStream(status: number, run: StreamResponse['run']): Promise<void> {
    const body = this.#begin(status);
    if (body === undefined) return;
    await run(body);
    body.end();
    this.#finish(false, body.bytesWritten);
  }

  /** Starts a response with a body; returns undefined if there must be none. */
  #begin(status: number): StreamedBody | undefined {
    if (this.#isWithoutBody(status)) {
      this.sendBytes(status, undefined);
      return undefined;
    }
    const body = new StreamedBody(() => this.#finish(true));
    this.#body = body;
    this.#respond(status, body.readable, undefined);
    return body;
  }

  #respond(status: number, body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null, length?: number): void {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.#exchange.responseHeaders.seal())) {
      for (const one of typeof value === 'string' ? [value] : value) headers.append(name, one);
    }
    if (length !== undefined && !headers.has('content-length')) headers.set('content-length', String(length));
    if (!headers.has('date')) headers.set('date', httpDate(this.#context.now()));
    this.#status = status;
    this.#response.resolve(new Response(body, { status, headers }));
  }

  #isWithoutBody(status: number): boolean {
    return this.#isHead || WITHOUT_BODY.has(status);
  }

  get #isHead(): boolean {
    return this.#exchange.request.method === 'HEAD';
  }

  breakOff(cause: unknown): void {
    this.#fail(cause, cause);
  }

  cut(cause: unknown): void {
    this.#fail(cause, new TypeError('terminated', { cause }));
  }

  /** As the global fetch fails when its connection does: before the head, or in the body. */
  #fail(cause: unknown, inBody: unknown): void {
    this.#response.reject(new TypeError('fetch failed', { cause }));
    this.#body?.breakOff(inBody);
    this.#finish(true);
  }

  #finish(aborted: boolean, bytesWritten = this.#body?.bytesWritten ?? 0): void {
    finishExchange(this.#context, this.#exchange, { status: this.#status, bytesWritten, aborted });
  }
}

/** Gives a chunk back when the next one is pulled: the sink has copied it by then. */
async function* returned(
  chunks: ChunksResponse['chunks'],
  giveBack: ((chunk: Uint8Array) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    giveBack?.(chunk);
  }
}
