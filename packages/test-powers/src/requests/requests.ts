import type { ApiResponse, Exchange, Filter, ResponseWriter, StreamResponse } from '@apiserver/apiserver-contracts';
import type { GenericServerConfig } from '@apiserver/generic-server';
import { checkFields, integer, oneOf, selectorChecks } from '../matching/check-fields.js';
import { compileSelector, type RequestSelector } from '../matching/request-selector.js';
import { OwnRequests } from '../power/own-requests.js';
import { PassingWriter } from '../power/passing-writer.js';
import type { PlanePower, PowerConfig } from '../power/plane-power.js';
import { BodyCopies } from './body-copies.js';
import { keepingChunks } from './keeping-chunks.js';
import { KeptBody, MAX_BODY_BYTES } from './kept-body.js';
import { type PlaneRequest, type RecordContext, RecordedRequest } from './recorded-request.js';
import { RequestLog } from './request-log.js';

/** The newest requests that are kept, and the bytes of their bodies. */
const CLIENTS = { records: 1_000, bytes: 8 * 1024 * 1024 } as const;
/** The same for requests of the server to itself. */
const OWN = { records: 250, bytes: 1024 * 1024 } as const;

/** Selects records. Every field that is given must match. */
export interface RequestFilter extends RequestSelector {
  /** Only records with a higher number. */
  readonly after?: number;
  /**
   * True: the requests of the server to itself instead of those of clients. Its controllers send these. Default: false.
   */
  readonly internal?: boolean;
}

const filterChecks = { ...selectorChecks, after: integer(0), internal: oneOf(true, false) };

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Dependencies of the log on the other powers of its server. */
export interface RequestsContext extends Pick<RecordContext, 'faults'> {
  /** Default: calls of the server's loopback client alone. */
  readonly own?: OwnRequests;
}

/** Records the requests to a server, from `start` on. */
export class Requests implements PlanePower {
  readonly #clients = new RequestLog(CLIENTS.records, CLIENTS.bytes);
  readonly #own = new RequestLog(OWN.records, OWN.bytes);
  readonly #listeners = new Set<(request: PlaneRequest) => void>();
  readonly #context: RecordContext;
  readonly #copies = new BodyCopies();
  readonly #ownRequests: OwnRequests;
  #started = false;
  #cbor: GenericServerConfig['cbor'];

  constructor({ faults, own = new OwnRequests() }: RequestsContext) {
    this.#ownRequests = own;
    this.#context = { faults, decode: (bytes, mediaType) => this.#decode(bytes, mediaType) };
  }

  /** Begins to record. Requests of the start would only be in the way. */
  start(): void {
    this.#started = true;
  }

  /** The records that a filter selects, the oldest first. Throws a ControlPlaneError for an unknown field. */
  list(filter: RequestFilter = {}): readonly PlaneRequest[] {
    checkFields(filter, 'filter', filterChecks);
    const { after = 0, internal = false } = filter;
    const matches = compileSelector(filter);
    const log = internal ? this.#own : this.#clients;
    return log.records.filter((record) => record.number > after && matches(record));
  }

  /** Requests of clients that are not kept any more. */
  get dropped(): number {
    return this.#clients.dropped;
  }

  /** The number of the newest request of a client; 0 before the first one. */
  get lastNumber(): number {
    return this.#clients.nextNumber - 1;
  }

  /** Forgets all records. Numbers go on. */
  clear(): void {
    this.#clients.clear();
    this.#own.clear();
  }

  /** Calls back when the response of a client's request has been sent. Returns a function that ends it. */
  subscribe(listener: (request: PlaneRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  adjustFilters(filters: readonly Filter[]): readonly Filter[] {
    return [this.#recording, ...filters];
  }

  configure({ generic }: PowerConfig): void {
    this.#cbor = generic.cbor;
  }

  readonly #recording: Filter = {
    name: 'requestLog',
    wrap: (next) => (exchange) => {
      if (!this.#started) return next(exchange);
      const record = this.#begin(exchange);
      const response = next(exchange);
      return response instanceof Promise
        ? response.then((settled) => this.#keep(record, exchange, settled))
        : this.#keep(record, exchange, response);
    },
  };

  #begin(exchange: Exchange): RecordedRequest {
    const { request } = exchange;
    const isOwn = this.#ownRequests.has(exchange);
    const log = isOwn ? this.#own : this.#clients;
    const record = new RecordedRequest(log.nextNumber, exchange, this.#context);
    log.add(record);
    if (BODY_METHODS.has(request.method)) this.#keepSent(record, exchange);
    exchange.onFinished((outcome) => {
      record.finished(outcome);
      log.finished(record);
      if (!isOwn) for (const listener of this.#listeners) listener(record);
    });
    return record;
  }

  #keep(record: RecordedRequest, exchange: Exchange, response: ApiResponse): ApiResponse {
    if (this.#context.faults.isUnanswered(exchange)) return response;
    const { context, responseHeaders } = exchange;
    const keep = (bytes: Uint8Array) => {
      const contentType = responseHeaders.get('content-type') ?? '';
      record.keepReceived(this.#body(bytes, contentType, responseHeaders.get('content-encoding')));
    };
    record.responded(response.status ?? 101);
    switch (response.type) {
      case 'bytes':
        if (response.body !== undefined) keep(response.body);
        return response;
      case 'chunks':
        return keepingChunks(response, keep);
      case 'stream':
        return context.requestInfo?.verb === 'watch' ? countingEvents(response, record) : response;
      default:
        return response;
    }
  }

  /** Keeps the body when the handler reads it. A body that nobody reads is not kept. */
  #keepSent(record: RecordedRequest, { request }: Exchange): void {
    const keep = (bytes: Uint8Array) => {
      if (bytes.length > 0) record.keepSent(this.#body(bytes, request.headers.get('content-type') ?? ''));
      return bytes;
    };
    request.readBody = keepingBody(request, keep);
  }

  #body(bytes: Uint8Array, contentType: string, contentEncoding?: string): KeptBody {
    const kept = bytes.length > MAX_BODY_BYTES ? undefined : this.#copies.copy(bytes);
    return new KeptBody(kept, { contentType, contentEncoding });
  }

  #decode(bytes: Uint8Array, mediaType: string): unknown {
    return mediaType === 'application/cbor' ? this.#cbor?.decodeCborValue(bytes) : undefined;
  }
}

/** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
function keepingBody(request: Exchange['request'], keep: (bytes: Uint8Array) => Uint8Array): typeof request.readBody {
  const { readBody } = request;
  return (limit) => readBody.call(request, limit).then(keep);
}

function countingEvents(response: StreamResponse, record: RecordedRequest): StreamResponse {
  record.countEvents(0);
  return { ...response, run: (writer) => response.run(new CountingWriter(writer, record)) };
}

/** Each frame of a watch is one event. */
class CountingWriter extends PassingWriter {
  readonly #record: RecordedRequest;

  constructor(writer: ResponseWriter, record: RecordedRequest) {
    super(writer);
    this.#record = record;
  }

  override write(frame: Uint8Array): void {
    this.#record.countEvents(1);
    super.write(frame);
  }
}
