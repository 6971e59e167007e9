import type { Exchange, ExchangeOutcome, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import type { FaultStrike } from '../faults/fault-rule.js';
import type { SelectedRequest } from '../matching/request-selector.js';
import type { DecodeBody, KeptBody } from './kept-body.js';

/** A request to the server, and its response. Bodies are decoded when they are read. */
export interface PlaneRequest extends SelectedRequest {
  /** Counts the requests of clients from 1 on; those of the server to itself count apart. */
  readonly number: number;
  /** The start, by the server's clock. */
  readonly time: Date;
  /** Milliseconds; undefined while the request is under way. */
  readonly duration: number | undefined;
  readonly groups: readonly string[];
  readonly method: string;
  /** Values of a repeated parameter are joined by commas. */
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** The object, options or patch that was sent; undefined if there was none, or one of more than 128 KiB. */
  readonly body: unknown;
  /** Of the verb `patch`. The type is the media type. */
  readonly patch: { readonly type: string; readonly body: unknown } | undefined;
  /** Undefined until it exists, and if a fault dropped it. Its body has the limit of the request's. */
  readonly response: { readonly status: number; readonly body: unknown } | undefined;
  /** True if the client got no complete response. */
  readonly aborted: boolean;
  /** Events of a watch. */
  readonly events: number | undefined;
  /**
   * Strikes of faults, each rule once. Those of webhooks and of the store are those that the request had to wait for.
   */
  readonly faults: readonly FaultStrike[];
  /** As JSON has it. */
  toJSON(): object;
}

/** The faults of requests. */
interface FaultsOfRequests {
  strikesOf(exchange: Exchange): readonly FaultStrike[];
  /** True if nothing has responded: the response is a stand-in that no client gets. */
  isUnanswered(exchange: Exchange): boolean;
}

/** Dependencies of records on their server. */
export interface RecordContext {
  readonly decode: DecodeBody;
  readonly faults: FaultsOfRequests;
}

/** The record of one request. Until that is over, it reads the exchange. */
export class RecordedRequest implements PlaneRequest {
  readonly number: number;
  readonly method: string;
  readonly #rawQuery: string;
  readonly #path: string;
  readonly #receivedAt: number;
  readonly #startedAt: number;
  readonly #context: RecordContext;
  #exchange: Exchange | undefined;
  #requestInfo: RequestInfo | undefined = undefined;
  #userInfo: UserInfo | undefined = undefined;
  #userAgent = '';
  #strikes: readonly FaultStrike[] = [];
  #duration: number | undefined = undefined;
  #aborted = false;
  #sent: KeptBody | undefined = undefined;
  #sentObject: unknown = undefined;
  #status: number | undefined = undefined;
  #received: KeptBody | undefined = undefined;
  #events: number | undefined = undefined;

  constructor(number: number, exchange: Exchange, context: RecordContext) {
    const { request } = exchange;
    this.number = number;
    this.method = request.method;
    this.#rawQuery = request.rawQuery;
    this.#path = request.path;
    this.#receivedAt = exchange.context.receivedAt;
    this.#startedAt = exchange.context.startedAt;
    this.#context = context;
    this.#exchange = exchange;
    this.#sentObject = request.inProcess?.body;
  }

  /** Bytes of the bodies that are kept. */
  get size(): number {
    return (this.#sent?.size ?? 0) + (this.#received?.size ?? 0);
  }

  keepSent(body: KeptBody): void {
    this.#sent = body;
  }

  responded(status: number): void {
    this.#status = status;
  }

  keepReceived(body: KeptBody): void {
    this.#received = body;
  }

  /** Counts an event of a watch; with 0 the record shows that it is one. */
  countEvents(events: number): void {
    this.#events = (this.#events ?? 0) + events;
  }

  finished({ aborted }: ExchangeOutcome): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#requestInfo = exchange.context.requestInfo;
    this.#userInfo = exchange.context.user;
    this.#userAgent = userAgentOf(exchange);
    this.#strikes = this.#context.faults.strikesOf(exchange);
    this.#exchange = undefined;
    this.#aborted = aborted;
    this.#duration = performance.now() - this.#startedAt;
  }

  get time(): Date {
    return new Date(this.#receivedAt);
  }

  get duration(): number | undefined {
    return this.#duration;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get verb(): string {
    return this.#info?.verb ?? this.method.toLowerCase();
  }

  get resource(): string {
    return this.#info?.resource ?? '';
  }

  get subresource(): string {
    return this.#info?.subresource ?? '';
  }

  get group(): string {
    return this.#info?.apiGroup ?? '';
  }

  get version(): string {
    return this.#info?.apiVersion ?? '';
  }

  get namespace(): string {
    return this.#info?.namespace ?? '';
  }

  /** That of a created object is in its body. */
  get name(): string {
    const { name = '' } = this.#info ?? {};
    if (name !== '' || this.verb !== 'create') return name;
    return nameOf(this.#received?.decode(this.#context.decode)) || nameOf(this.body);
  }

  get path(): string {
    return this.#path;
  }

  get query(): Readonly<Record<string, string>> {
    const query: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(this.#rawQuery)) {
      const before = Object.hasOwn(query, name) ? `${query[name]},` : '';
      Object.defineProperty(query, name, { value: before + value, enumerable: true, configurable: true });
    }
    return query;
  }

  get user(): string {
    return this.#user?.name ?? '';
  }

  get groups(): readonly string[] {
    return this.#user?.groups ?? [];
  }

  get userAgent(): string {
    return this.#exchange === undefined ? this.#userAgent : userAgentOf(this.#exchange);
  }

  get faults(): readonly FaultStrike[] {
    return this.#exchange === undefined ? this.#strikes : this.#context.faults.strikesOf(this.#exchange);
  }

  get body(): unknown {
    return this.#sentObject ?? this.#sent?.decode(this.#context.decode);
  }

  get patch(): PlaneRequest['patch'] {
    if (this.verb !== 'patch') return undefined;
    return { type: this.#sent?.mediaType ?? '', body: this.body };
  }

  get response(): PlaneRequest['response'] {
    if (this.#status === undefined) return undefined;
    return { status: this.#status, body: this.#received?.decode(this.#context.decode) };
  }

  get events(): number | undefined {
    return this.#events;
  }

  toJSON(): object {
    const { number, time, duration, user, groups, method, verb, group, version, resource, subresource } = this;
    const { namespace, name, path, query, userAgent, body, patch, response, aborted, events, faults } = this;
    return {
      number,
      time: time.toISOString(),
      duration,
      user,
      groups,
      method,
      verb,
      group,
      version,
      resource,
      subresource,
      namespace,
      name,
      path,
      query,
      userAgent,
      body,
      patch,
      response,
      aborted,
      events,
      faults,
    };
  }

  get #info(): RequestInfo | undefined {
    return this.#exchange === undefined ? this.#requestInfo : this.#exchange.context.requestInfo;
  }

  get #user(): UserInfo | undefined {
    return this.#exchange === undefined ? this.#userInfo : this.#exchange.context.user;
  }
}

function userAgentOf({ request }: Exchange): string {
  return request.headers.get('user-agent') ?? '';
}

function nameOf(object: unknown): string {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return '';
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return '';
  return typeof metadata.name === 'string' ? metadata.name : '';
}
