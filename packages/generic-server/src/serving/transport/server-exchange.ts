import type {
  ApiRequest,
  Exchange,
  ExchangeOutcome,
  RequestAudit,
  RequestContext,
  RequestInfo,
  TraceSpan,
  UserInfo,
  WarningRecorder,
} from '@apiserver/apiserver-contracts';
import { HeaderMap } from './header-map.js';

/** One for all requests: hundreds of thousands may end at the same moment, and a stack would say nothing. */
const CLIENT_GONE = new Error('the client closed the connection');

/** Drops warnings outside the warningRecorder filter, where there is no response to add them to. */
const discardWarnings: WarningRecorder = { warn: () => {} };

/** The results of filters. The map for later filters is made on first use. */
class RequestState implements RequestContext {
  readonly receivedAt: number;
  readonly startedAt = performance.now();
  requestInfo: RequestInfo | undefined = undefined;
  user: UserInfo | undefined = undefined;
  audiences: readonly string[] | undefined = undefined;
  warnings: WarningRecorder = discardWarnings;
  deadline: number | undefined = undefined;
  audit: RequestAudit | undefined = undefined;
  span: TraceSpan | undefined = undefined;
  filterStartedAt: number | undefined = undefined;
  watchInitialized: (() => void) | undefined = undefined;
  #values: Map<symbol, unknown> | undefined = undefined;

  constructor(receivedAt: number) {
    this.receivedAt = receivedAt;
  }

  get values(): Map<symbol, unknown> {
    this.#values ??= new Map();
    return this.#values;
  }
}

/**
 * The exchange of every transport: sockets, a host framework, the loopback client. Properties that a plain GET does not
 * need are made on first use.
 */
export class ServerExchange implements Exchange {
  readonly request: ApiRequest;
  readonly responseHeaders = new HeaderMap();
  readonly context: RequestContext;
  #controller: AbortController | undefined = undefined;
  #aborted = false;
  #reason: unknown = undefined;
  #outcome: ExchangeOutcome | undefined = undefined;
  #finishedListeners: ((outcome: ExchangeOutcome) => void)[] = [];
  #abortListeners: ((reason: unknown) => void)[] | undefined = undefined;

  /** `receivedAt` in milliseconds since the epoch. */
  constructor(request: ApiRequest, receivedAt: number) {
    this.request = request;
    this.context = new RequestState(receivedAt);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(reason: unknown): void {
    if (this.#aborted || this.#outcome !== undefined) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#abortListeners ?? []) listener(reason);
  }

  /** For transports: calls `listener` on `abort`, or at once after it, without creating the signal. */
  onAbort(listener: (reason: unknown) => void): void {
    if (this.#aborted) {
      listener(this.#reason);
      return;
    }
    this.#abortListeners ??= [];
    this.#abortListeners.push(listener);
  }

  onFinished(listener: (outcome: ExchangeOutcome) => void): void {
    if (this.#outcome === undefined) this.#finishedListeners.push(listener);
    else listener(this.#outcome);
  }

  /**
   * For transports: the response has been sent, or the client has disconnected. Only the first call counts. Listeners
   * run in reverse order, like deferred functions upstream. An exception in one does not stop the others.
   */
  finish(outcome: ExchangeOutcome): void {
    if (this.#outcome !== undefined) return;
    if (outcome.aborted) this.abort(CLIENT_GONE);
    this.#outcome = outcome;
    const failures: unknown[] = [];
    for (let index = this.#finishedListeners.length - 1; index >= 0; index--) {
      try {
        this.#finishedListeners[index]?.(outcome);
      } catch (error) {
        failures.push(error);
      }
    }
    this.#finishedListeners = [];
    if (failures.length > 0) throw new AggregateError(failures, 'a listener of a finished exchange failed');
  }
}
