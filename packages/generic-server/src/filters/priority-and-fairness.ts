import { AsyncLocalStorage } from 'node:async_hooks';
import { runSliced } from '@apiserver/apimachinery/clock';
import {
  type ApiResponse,
  type Exchange,
  type Filter,
  type Handler,
  isReadOnlyVerb,
  type ResponseWriter,
} from '@apiserver/apiserver-contracts';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { noteWait } from '@apiserver/endpoints-installer';
import type { ClassifiedRequest, FlowControl, FlowRequest, RequestWork, SeatRequest } from '@apiserver/flowcontrol';
import { DroppedRequests } from '@apiserver/flowcontrol';
import type { InFlightMetrics } from '../metrics/in-flight-metrics.js';
import type { LongRunningCheck } from '../request/long-running.js';
import { requestInfoOf, userOf } from '../request/request-info-of.js';
import { plainTextError } from '../serving/transport/plain-text.js';
import { addLogged, isLogged } from './http-logging.js';

/** Dependencies of the filter. Times are milliseconds. */
export interface PriorityAndFairnessOptions {
  readonly flowControl: FlowControl;
  readonly longRunning: LongRunningCheck;
  readonly metrics?: InFlightMetrics;
  /** Upstream flag: --request-timeout */
  readonly requestTimeout: number;
}

type Kind = 'readOnly' | 'mutating';
type EventualResponse = Promise<ApiResponse> | ApiResponse;
/** Ends an execution at a time of the clock of durations; called again it does nothing. */
type Finish = (now: number) => void;

/** A request waits for a fraction of its time, and never longer than this. Upstream: getRequestWaitContext */
const MAX_WAIT_MS = 60_000;
/** A client decides how fast it takes the first events of a watch. It keeps its seats no longer than this. */
const MAX_WATCH_START_MS = 50;
/** Upstream: truncateLogField */
const MAX_LOGGED_NAME_LENGTH = 64;

/**
 * Assigns requests to flows. A request executes when it has seats of its priority level and a turn of the event loop;
 * until then it waits in a queue. It is rejected with a 429 if the queue is full or it waits for too long. A seat is
 * released when the response is computed, not when the client has read it; the parts of a long response take turns,
 * too.
 * Upstream: k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go
 */
export function priorityAndFairness(options: PriorityAndFairnessOptions): Filter {
  return {
    name: 'priorityAndFairness',
    wrap: (next) => {
      const gate = new Gate(options, next);
      return (exchange) => gate.handle(exchange);
    },
  };
}

class Gate {
  readonly #options: PriorityAndFairnessOptions;
  readonly #next: Handler;
  readonly #executing = { readOnly: 0, mutating: 0 };
  readonly #waiting = { readOnly: 0, mutating: 0 };
  /** By priority level. */
  readonly #dropped = new Map<string, DroppedRequests>();

  constructor(options: PriorityAndFairnessOptions, next: Handler) {
    this.#options = options;
    this.#next = next;
  }

  handle(exchange: Exchange): EventualResponse {
    const { flowControl, longRunning } = this.#options;
    const info = requestInfoOf(exchange);
    if (info.verb !== 'watch' && longRunning(exchange)) return this.#next(exchange);
    const request = { exchange, info, user: userOf(exchange) };
    const classified = flowControl.classify(request);
    setHeaders(exchange, classified);
    if (isLogged(exchange)) logClassification(exchange, classified);
    const seat = flowControl.start(classified, request);
    if (seat === undefined) {
      classified.schema.counters.waitSecondsOfRejected.observe(0);
      return this.#reject(request, classified);
    }
    if (seat.state === 'waiting') return this.#wait(request, classified, seat);
    if (!classified.schema.level.isExempt) classified.schema.counters.waitSeconds.observe(0);
    return this.#execute(request, classified, seat);
  }

  #wait(request: FlowRequest, classified: ClassifiedRequest, seat: SeatRequest): Promise<ApiResponse> {
    const { flowControl } = this.#options;
    const { exchange } = request;
    const { level, counters } = classified.schema;
    const kind = kindOf(request);
    const begun = flowControl.now();
    this.#countWaiting(kind, 1);
    const waited = (executes: boolean) => {
      const milliseconds = flowControl.now() - begun;
      this.#countWaiting(kind, -1);
      noteWait(exchange.context, 'seat', milliseconds);
      (executes ? counters.waitSeconds : counters.waitSecondsOfRejected).observe(milliseconds / 1e3);
    };
    return new Promise((resolve) => {
      let isOver = false;
      const giveUp = () => {
        if (isOver) return;
        isOver = true;
        stopTimer();
        level.queueSet.cancel(seat);
        waited(false);
        resolve(this.#reject(request, classified));
      };
      const stopTimer = flowControl.after(this.#waitLimit(exchange), giveUp);
      exchange.onFinished(giveUp);
      // The end of another request calls this. Audit events and spans belong to the context of this one.
      seat.execute = AsyncLocalStorage.bind(() => {
        isOver = true;
        stopTimer();
        waited(true);
        resolve(this.#executeSafely(request, classified, seat));
      });
    });
  }

  /** A fourth of the time that the request has from its arrival. */
  #waitLimit({ context }: Exchange): number {
    const { requestTimeout } = this.#options;
    const { deadline, startedAt } = context;
    const limit = (deadline === undefined ? requestTimeout : deadline - startedAt) / 4;
    return startedAt + Math.min(limit, MAX_WAIT_MS) - performance.now();
  }

  /** For callers that must not get an exception. */
  async #executeSafely(request: FlowRequest, classified: ClassifiedRequest, seat: SeatRequest): Promise<ApiResponse> {
    return this.#execute(request, classified, seat);
  }

  #execute(request: FlowRequest, classified: ClassifiedRequest, seat: SeatRequest): EventualResponse {
    const { flowControl } = this.#options;
    const work = flowControl.workOf(classified, seat);
    const isWatch = request.info.verb === 'watch';
    const begun = flowControl.now();
    const finish = this.#begin(request, classified, seat, begun);
    if (isWatch) this.#watchBegins(request, finish);
    const settled = (result: ApiResponse, now: number) => {
      if (!isWatch || (result.type !== 'stream' && result.type !== 'upgrade')) finish(now);
      return this.#inTurns(result, work);
    };
    const failed = (error: unknown): never => {
      finish(flowControl.now());
      throw error;
    };
    let response: EventualResponse;
    try {
      response = runSliced(work, this.#next, request.exchange);
    } catch (error) {
      return failed(error);
    }
    if (response instanceof Promise) return response.then((result) => settled(result, flowControl.now()), failed);
    return settled(response, flowControl.now());
  }

  /** Counts an execution until the returned function is called for the first time. */
  #begin(request: FlowRequest, { schema }: ClassifiedRequest, seat: SeatRequest, begun: number): Finish {
    const { exchange, info } = request;
    const kind = kindOf(request);
    const { executionSeconds, watchInitSeconds } = schema.counters;
    this.#countExecuting(kind, 1, begun);
    let isFinished = false;
    return (now) => {
      if (isFinished) return;
      isFinished = true;
      const milliseconds = now - begun;
      this.#countExecuting(kind, -1, now);
      const isWatch = info.verb === 'watch';
      (isWatch ? watchInitSeconds : executionSeconds).observe(milliseconds / 1e3);
      if (isLogged(exchange)) {
        const duration = formatGoDuration(milliseconds);
        addLogged(exchange, { ...(isWatch && { apf_init_latency: duration }), apf_execution_time: duration });
      }
      schema.level.queueSet.finish(seat, now);
    };
  }

  /** A watch keeps its seats until the first events are sent. */
  #watchBegins({ exchange, info }: FlowRequest, finish: Finish): void {
    const { flowControl } = this.#options;
    const forget = flowControl.watches.register(info);
    const finishNow = () => finish(flowControl.now());
    const stopTimer = flowControl.after(MAX_WATCH_START_MS, finishNow);
    const initialized = () => {
      stopTimer();
      finishNow();
    };
    exchange.context.watchInitialized = initialized;
    exchange.onFinished(() => {
      initialized();
      forget();
    });
  }

  /** The work after the handler belongs to the request, too. */
  #inTurns(response: ApiResponse, work: RequestWork): ApiResponse {
    if (response.type === 'stream') {
      return { ...response, run: (writer: ResponseWriter) => runSliced(work, () => response.run(writer)) };
    }
    if (response.type !== 'chunks' || response.isPatient === true) return response;
    return { ...response, chunks: this.#options.flowControl.bodies.chunks(response.chunks, work) };
  }

  #reject({ exchange }: FlowRequest, { schema: { level } }: ClassifiedRequest): ApiResponse {
    const dropped = this.#dropped.get(level.name) ?? new DroppedRequests();
    this.#dropped.set(level.name, dropped);
    dropped.record(Math.floor(this.#options.flowControl.now() / 1e3));
    this.#options.metrics?.dropped(exchange);
    exchange.responseHeaders.set('retry-after', String(dropped.retryAfter));
    return plainTextError(exchange, 429, 'Too many requests, please try again later.');
  }

  #countExecuting(kind: Kind, change: 1 | -1, now: number): void {
    const { flowControl, metrics } = this.#options;
    this.#executing[kind] += change;
    metrics?.record(kind, this.#executing[kind]);
    flowControl.metrics.readWrite.executing[kind].add(change, now);
  }

  #countWaiting(kind: Kind, change: 1 | -1): void {
    const { flowControl, metrics } = this.#options;
    this.#waiting[kind] += change;
    metrics?.recordInQueue(kind, this.#waiting[kind]);
    flowControl.metrics.readWrite.waiting[kind].add(change, flowControl.now());
  }
}

function kindOf({ info }: FlowRequest): Kind {
  return isReadOnlyVerb(info.verb) ? 'readOnly' : 'mutating';
}

/** Names could tell clients about other ones; uids do not. */
function setHeaders({ responseHeaders }: Exchange, { schema }: ClassifiedRequest): void {
  responseHeaders.set('x-kubernetes-pf-prioritylevel-uid', schema.levelUid);
  responseHeaders.set('x-kubernetes-pf-flowschema-uid', schema.uid);
}

function logClassification(exchange: Exchange, { schema, estimate }: ClassifiedRequest): void {
  addLogged(exchange, {
    apf_pl: schema.level.name.slice(0, MAX_LOGGED_NAME_LENGTH),
    apf_fs: schema.name.slice(0, MAX_LOGGED_NAME_LENGTH),
    apf_iseats: estimate.initialSeats,
    apf_fseats: estimate.finalSeats,
    apf_additionalLatency: formatGoDuration(estimate.additionalLatency),
  });
}
