import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { ApiResponse, Exchange, Filter, Handler, Logger } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/component-base/logging';
import { respondError } from '@apiserver/endpoints-installer';
import { ConnectionCut, type GenericServerConfig } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';
import { ControlPlaneError } from '../control-plane-error.js';
import { durationMilliseconds } from '../matching/duration.js';
import { type SelectedRequest, selectedRequest } from '../matching/request-selector.js';
import { compilePattern } from '../matching/text-pattern.js';
import { OwnRequests } from '../power/own-requests.js';
import type { PlanePower, PowerConfig } from '../power/plane-power.js';
import { expiredList, needsOldVersion } from './expired-versions.js';
import type { ActiveFault, FaultEffect, FaultRule, FaultStrike } from './fault-rule.js';
import { parseFaultRule } from './parse-fault-rule.js';
import { respondFault } from './respond-fault.js';
import { RuleState } from './rule-state.js';
import { SlowStore } from './slow-store.js';
import { endedWatch, expiredWatch, withBookmarks } from './watch-faults.js';

/** The name of the effect that a record shows. */
const effects: readonly (keyof FaultEffect)[] = ['response', 'cut', 'watch', 'expired', 'bookmarks', 'delay'];

/**
 * The faults of a server. The first rule that strikes a request counts, in the order in which rules were added.
 * Requests of the server to itself are never struck. Without rules a request pays for one comparison.
 */
export class Faults implements PlanePower {
  readonly #clock: Clock;
  readonly #own: OwnRequests;
  #rules: readonly RuleState[] = [];
  #storageRules: readonly RuleState[] = [];
  #webhookRules: readonly RuleState[] = [];
  #added = 0;
  #strikes = new WeakMap<Exchange, readonly FaultStrike[]>();
  #cuts = new WeakSet<Exchange>();
  #unanswered = new WeakSet<Exchange>();
  /** The request for which a webhook is called, or the store waits. */
  readonly #current = new AsyncLocalStorage<Exchange>();
  /** True from the first rule on: exchanges may then have strikes. */
  #isUsed = false;
  #logger: Logger = silentLogger;
  #cbor: GenericServerConfig['cbor'];

  /** `own`: requests that are never struck. Default: calls of the server's loopback client alone. */
  constructor(clock: Clock, own = new OwnRequests()) {
    this.#clock = clock;
    this.#own = own;
  }

  /** Puts a rule behind the others. Throws a ControlPlaneError for an invalid one, and for an ID that is taken. */
  add(rule: FaultRule): ActiveFault {
    const state = new RuleState(structuredClone(parseFaultRule(rule)), this.#added + 1);
    if (this.#all.some(({ id }) => id === state.id)) throw new ControlPlaneError(`rule.id: ${state.id} is taken`);
    this.#added++;
    this.#isUsed = true;
    if (rule.storage !== undefined) this.#storageRules = [...this.#storageRules, state];
    else if (rule.webhook !== undefined) this.#webhookRules = [...this.#webhookRules, state];
    else this.#rules = [...this.#rules, state];
    return state.describe();
  }

  /** Ends a rule, and lets the requests go on that it delays. False if there is no such rule. */
  remove(rule: string | { readonly id: string }): boolean {
    const wanted = typeof rule === 'string' ? rule : rule.id;
    const removed = this.#all.find(({ id }) => id === wanted);
    this.#rules = this.#rules.filter((each) => each !== removed);
    this.#storageRules = this.#storageRules.filter((each) => each !== removed);
    this.#webhookRules = this.#webhookRules.filter((each) => each !== removed);
    removed?.held.release();
    return removed !== undefined;
  }

  /** Ends all rules. */
  clear(): void {
    for (const { id } of this.#all) this.remove(id);
  }

  /** All rules with their counters, in order. */
  list(): readonly ActiveFault[] {
    return this.#all.map((state) => state.describe());
  }

  /** The strikes of a request, each rule once. */
  strikesOf(exchange: Exchange): readonly FaultStrike[] {
    return (this.#isUsed ? this.#strikes.get(exchange) : undefined) ?? [];
  }

  /** True for a request whose connection is cut before anything has responded. */
  isUnanswered(exchange: Exchange): boolean {
    return this.#isUsed && this.#unanswered.has(exchange);
  }

  #note(exchange: Exchange, strike: FaultStrike): void {
    const before = this.#strikes.get(exchange) ?? [];
    if (!before.some(({ rule }) => rule === strike.rule)) this.#strikes.set(exchange, [...before, strike]);
  }

  get #all(): readonly RuleState[] {
    return [...this.#rules, ...this.#webhookRules, ...this.#storageRules];
  }

  wrapStore(store: KeyValueStore): KeyValueStore {
    return new SlowStore(store, (key, operation) => this.#storageDelay(key, operation));
  }

  /** A connection is cut outside all filters; other faults strike as close to the resources as possible. */
  adjustFilters(filters: readonly Filter[]): readonly Filter[] {
    return [this.#cutting, ...filters, this.#striking];
  }

  configure({ generic: { logger, cbor, restClientMetrics } }: PowerConfig): void {
    restClientMetrics.webhooks.connecting = this.#connecting;
    this.#logger = logger.named('faults');
    this.#cbor = cbor;
  }

  stop(): void {
    this.clear();
  }

  readonly #connecting = (host: string, path: string): void => this.#refuse(host, path);

  readonly #cutting: Filter = {
    name: 'faultCuts',
    wrap: (next) => (exchange) => {
      const response = next(exchange);
      if (!this.#isUsed) return response;
      return response instanceof Promise
        ? response.then((settled) => this.#cut(exchange, settled))
        : this.#cut(exchange, response);
    },
  };

  #cut(exchange: Exchange, response: ApiResponse): ApiResponse {
    if (this.#cuts.has(exchange)) throw new ConnectionCut('a fault cuts the connection');
    return response;
  }

  readonly #striking: Filter = {
    name: 'faults',
    wrap: (further) => (exchange) => {
      const isPlain = this.#storageRules.length === 0 && this.#webhookRules.length === 0;
      const next: Handler = isPlain ? further : (struck) => this.#current.run(struck, further, struck);
      if (this.#rules.length === 0 || this.#own.has(exchange)) return next(exchange);
      const { requestInfo, user } = exchange.context;
      const request = selectedRequest(requestInfo, user?.name ?? '', exchange.request.path);
      const rule = this.#rules.find((each) => appliesTo(each.rule, request, exchange) && each.strikes(request));
      return rule === undefined ? next(exchange) : this.#strike(rule, { exchange, request, next });
    },
  };

  async #strike({ id, rule, held }: RuleState, struck: StruckRequest): Promise<ApiResponse> {
    const { exchange, next } = struck;
    const effect = effects.find((name) => rule[name] !== undefined) ?? 'delay';
    this.#note(exchange, { rule: id, effect });
    if (rule.delay !== undefined) {
      await held.hold(this.#clock, durationMilliseconds(rule.delay), exchange.signal);
    }
    if (rule.cut !== undefined) return this.#cutOff(rule.cut, exchange, next);
    if (rule.response !== undefined) return await respondFault(rule.response, struck, this.#logger);
    const context = { clock: this.#clock, cbor: this.#cbor };
    if (rule.expired && struck.request.verb !== 'watch') {
      return respondError(exchange, expiredList(exchange), this.#logger, this.#cbor);
    }
    const response = await next(exchange);
    if (rule.expired) return expiredWatch(response, exchange, context);
    if (rule.watch !== undefined) return endedWatch(response, exchange, rule.watch, context);
    return rule.bookmarks === undefined ? response : withBookmarks(response, rule.bookmarks, context);
  }

  async #cutOff(when: NonNullable<FaultRule['cut']>, exchange: Exchange, next: Handler): Promise<ApiResponse> {
    if (when === 'before commit') this.#unanswered.add(exchange);
    const response: ApiResponse =
      when === 'after commit' ? await next(exchange) : { type: 'bytes', status: 500, body: undefined };
    this.#cuts.add(exchange);
    return response;
  }

  /** Throws the error of a connection without a listener. */
  #refuse(host: string, path: string): void {
    const isRefused = this.#webhookRules.some((state) => {
      const { webhook } = state.rule;
      const paths = typeof webhook === 'object' ? webhook.refused : '*';
      return compilePattern(paths)(path) && this.#strikesCurrent(state, 'webhook');
    });
    if (isRefused) throw Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' });
  }

  /** Counts an operation of the server. If the rule strikes it, so says the record of the request that needs it. */
  #strikesCurrent(state: RuleState, effect: 'webhook' | 'storage'): boolean {
    if (!state.count()) return false;
    const exchange = this.#current.getStore();
    if (exchange !== undefined) this.#note(exchange, { rule: state.id, effect });
    return true;
  }

  #storageDelay(key: string, operation: 'read' | 'write'): Promise<void> | undefined {
    for (const state of this.#storageRules) {
      const { storage } = state.rule;
      if (storage === undefined || (storage.operation ?? operation) !== operation) continue;
      if (!key.startsWith(storage.key ?? '') || !this.#strikesCurrent(state, 'storage')) continue;
      return state.held.hold(this.#clock, durationMilliseconds(storage.delay), new AbortController().signal);
    }
    return undefined;
  }
}

/** A request that a rule has struck. */
export interface StruckRequest {
  readonly exchange: Exchange;
  readonly request: SelectedRequest;
  readonly next: Handler;
}

/** False for requests to which the effect means nothing. */
function appliesTo(
  { watch, bookmarks, expired }: FaultRule,
  { verb }: SelectedRequest,
  { request }: Exchange,
): boolean {
  if (watch !== undefined || bookmarks !== undefined) return verb === 'watch';
  return expired === undefined || needsOldVersion(verb, request.query);
}
