import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ChunksResponse, StreamResponse, UpgradeResponse } from '@apiserver/apiserver-contracts';
import { breakBody } from '../transport/broken-body.js';
import { pumpChunks } from '../transport/chunk-pump.js';
import { CoalescingWriter } from '../transport/coalescing-writer.js';
import { contentLengthOf } from '../transport/content-length.js';
import { finishExchange } from '../transport/finish-exchange.js';
import { canonicalHeaderName } from '../transport/header-map.js';
import { type Responder, serveExchange } from '../transport/serve-exchange.js';
import type { ServerExchange } from '../transport/server-exchange.js';
import { eventsFirst, type TransportContext, UNREAD_TIME_MS } from '../transport/transport-context.js';
import { isLargeBody, sendLargeBody } from './large-body.js';
import { isRestTooLarge, readRestAway } from './unread-body.js';
import { WritableSink } from './writable-sink.js';

const noBytes = Buffer.alloc(0);

/** The connection of an upgrade, and the bytes that came after its head. */
export interface UpgradeRequest {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** The request, the response, and the upgrade that the request may be. */
export interface Http1CallContext {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: UpgradeRequest | undefined;
}

/** One exchange on HTTP/1, with Node's ServerResponse. The counterpart of Http2Call. */
export class Http1Call implements Responder {
  readonly #context: TransportContext;
  readonly #exchange: ServerExchange;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #upgrade: UpgradeRequest | undefined;
  #status = 0;
  #bytesWritten = 0;
  #complete = false;
  #handedOver = false;
  #finished = false;
  #writer: CoalescingWriter | undefined = undefined;
  #stopNoting = (): void => {};

  constructor(context: TransportContext, exchange: ServerExchange, { message, response, upgrade }: Http1CallContext) {
    this.#context = context;
    this.#exchange = exchange;
    this.#message = message;
    this.#response = response;
    this.#upgrade = upgrade;
    response.on('error', () => {});
    response.once('close', () => this.#closed());
    if (upgrade !== undefined) this.#noteEnd(upgrade.socket);
  }

  /** Nobody reads the connection before it is handed over, so that its end stays behind bytes that came early. */
  #noteEnd(socket: Duplex): void {
    const { push: before } = socket;
    const push = before.bind(socket);
    // The ends of many connections take turns by the function that was there.
    this.#stopNoting = () => {
      socket.push = before;
    };
    socket.push = (piece: unknown) => {
      if (piece === null) this.#exchange.abort(new Error('the client closed the connection'));
      return push(piece);
    };
  }

  /** Never rejects. */
  run(): Promise<void> {
    return serveExchange(this.#context, this.#exchange, this);
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  get hasResponded(): boolean {
    return this.#response.headersSent;
  }

  sendBytes(status: number, body: Uint8Array | undefined): Promise<void> | void {
    const isHead = this.#exchange.request.method === 'HEAD';
    this.#writeHead(status, contentLengthOf(status, body, isHead));
    const shown = isHead ? undefined : body;
    if (shown !== undefined && isLargeBody(shown)) return this.#sendLarge(shown);
    this.#complete = true;
    this.#bytesWritten = body?.length ?? 0;
    this.#response.end(shown);
  }

  async #sendLarge(body: Uint8Array): Promise<void> {
    this.#exchange.onAbort(() => this.breakOff());
    await sendLargeBody(body, this.#response, { unread: this.#context.unread, count: this.#count });
    this.#complete = true;
  }

  async sendChunks({ status, chunks, isPatient }: ChunksResponse): Promise<void> {
    this.#writeHead(status, undefined);
    if (this.#exchange.request.method === 'HEAD') return this.#end();
    this.#exchange.onAbort(() => this.breakOff());
    if (isPatient) this.#context.patient.add(this.#message.socket);
    const late = isPatient ? setImmediate(this.#sendHead) : undefined;
    await pumpChunks(chunks, new WritableSink(this.#response), this.#count).finally(() => clearImmediate(late));
    this.#complete = true;
  }

  /** Sends the head without a chunk, if none has come. flushHeaders would encode it differently. */
  readonly #sendHead = (): void => {
    if (this.#bytesWritten === 0 && !this.#response.writableEnded) this.#response.write(noBytes);
  };

  readonly #count = (bytes: number): void => {
    this.#bytesWritten += bytes;
  };

  async sendStream(status: number, run: StreamResponse['run']): Promise<void> {
    this.#writeHead(status, undefined);
    if (this.#exchange.request.method === 'HEAD') return this.#end();
    this.#sendHead();
    const writer = new CoalescingWriter(this.#response, this.#context.coalescer);
    this.#writer = writer;
    await run(writer);
    writer.flush();
    this.#end();
    // A disconnected client needs no timer.
    if (this.#finished) return;
    const timer = setTimeout(() => this.#response.destroy(), UNREAD_TIME_MS).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  async sendUpgrade(response: UpgradeResponse): Promise<void> {
    if (this.#upgrade === undefined) throw new Error('the client did not ask for an upgrade');
    this.#exchange.responseHeaders.seal();
    this.#status = response.status ?? 101;
    this.#handedOver = true;
    this.#complete = true;
    const { socket, head } = this.#upgrade;
    this.#stopNoting();
    this.#context.patient.add(this.#message.socket);
    if (socket instanceof Socket) this.#response.detachSocket(socket);
    this.#exchange.onAbort(() => socket.destroy());
    await response.run({ socket, head });
    this.#closed();
  }

  #end(): void {
    this.#complete = true;
    if (!this.#response.destroyed) this.#response.end();
  }

  #writeHead(status: number, length: number | undefined): void {
    eventsFirst(this.#context, this.#exchange.request);
    const sealed = this.#exchange.responseHeaders.seal();
    this.#status = status;
    const fields: Record<string, string | string[]> = {};
    for (const name in sealed) {
      const value = sealed[name];
      if (value !== undefined) fields[canonicalHeaderName(name)] = typeof value === 'string' ? value : [...value];
    }
    if (length !== undefined) fields['Content-Length'] ??= String(length);
    fields['Connection'] ??= this.#connectionField(fields['Content-Length'] !== undefined);
    if (fields['Connection'] === '') {
      delete fields['Connection'];
      // Node would announce keep-alive and its timeout, which upstream does not.
      this.#response.removeHeader('Connection');
    }
    if (!this.#message.complete) readRestAway(this.#message, this.#response);
    this.#response.writeHead(status, fields);
  }

  /** The value of the Connection header; "": the default of the protocol version. */
  #connectionField(hasLength: boolean): string {
    const isKept = this.#response.shouldKeepAlive && !this.#context.isDraining && !isRestTooLarge(this.#message);
    if (this.#message.httpVersion !== '1.0') return isKept ? '' : 'close';
    return isKept && (hasLength || this.#exchange.request.method === 'HEAD') ? 'keep-alive' : '';
  }

  #closed(): void {
    this.#finished = true;
    this.#context.patient.delete(this.#message.socket);
    this.#writer?.close();
    // A reader of the body must not wait for bytes that never come.
    if (!this.#message.complete) breakBody(this.#message, 'http: invalid Read on closed Body');
    const bytesWritten = this.#bytesWritten + (this.#writer?.bytesWritten ?? 0);
    const aborted = !this.#complete || !(this.#response.writableFinished || this.#handedOver);
    const finish = () => finishExchange(this.#context, this.#exchange, { status: this.#status, bytesWritten, aborted });
    if (aborted) this.#context.ended.tell([{ tell: finish }]);
    else finish();
  }

  cut(): void {
    this.#complete = false;
    this.#response.destroy();
    this.#upgrade?.socket.destroy();
  }

  /** Destroys the connection, so that the client sees that the response is incomplete. */
  breakOff(): void {
    if (!this.#complete) this.#response.destroy();
  }
}
