import type { FlowCounters } from '../metrics/flow-counters.js';
import { ExecutingRequests } from './executing-requests.js';
import type { SeatSeconds } from './seat-seconds.js';
import { maxSeatsOf, totalWorkOf, type WorkEstimate } from './work-estimate.js';

/** Where a request is. It leaves each state once. */
export type RequestState = 'waiting' | 'executing' | 'finished' | 'cancelled';

/** The request of a client, for dumps. */
export interface RequestDetails {
  readonly userName: string;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
}

/** The arrival of a request at a priority level. Times are milliseconds of the clock of durations. */
export interface Arrival {
  readonly estimate: WorkEstimate;
  readonly schema: string;
  readonly distinguisher: string;
  /** The queues that its flow may use. */
  readonly hand: readonly number[];
  readonly counters: FlowCounters;
  /** Describes the request in a dump. */
  readonly details: () => RequestDetails;
  readonly now: number;
}

/** A request that holds seats or waits for them. Only its queue set changes the fields. */
export class SeatRequest {
  readonly arrival: Arrival;
  /** Undefined if the level has no queues. */
  readonly queue: RequestQueue | undefined;
  /** The progress of the level on arrival. */
  arrivalR: SeatSeconds;
  readonly totalWork: SeatSeconds;
  state: RequestState = 'waiting';
  /** Final seats and latency, possibly reshaped to the limit of the level. */
  estimate: WorkEstimate;
  /** Of the estimate. */
  maxSeats: number;
  startTime = 0;
  /** Its seats are of the reserve, or would be if it got some now. */
  isOfReserve = false;
  /** Called once, when a waiting request gets its seats. Must not throw. */
  execute: (() => void) | undefined;
  /** Position among the executing requests of its queue, or of those without one; -1 before and after. */
  placeAmongExecuting = -1;
  /** Neighbours in the queue. */
  previous: SeatRequest | undefined;
  next: SeatRequest | undefined;

  constructor(arrival: Arrival, queue: RequestQueue | undefined, progress: SeatSeconds) {
    this.arrival = arrival;
    this.queue = queue;
    this.arrivalR = progress;
    this.estimate = arrival.estimate;
    this.maxSeats = maxSeatsOf(arrival.estimate);
    this.totalWork = totalWorkOf(arrival.estimate);
  }
}

/**
 * The requests of one queue. The waiting ones form a list, from which a cancelled one is removed without a search.
 * Upstream: queue and requestFIFO of k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset
 */
export class RequestQueue {
  /** The position among the queues of its set. */
  index: number;
  /** The progress of the set at which the next request starts in the virtual world. */
  nextDispatchR: SeatSeconds = 0;
  readonly executing = new ExecutingRequests<SeatRequest>();
  seatsInUse = 0;
  waiting = 0;
  initialSeatsWaiting = 0;
  maxSeatsWaiting = 0;
  workWaiting: SeatSeconds = 0;
  /** Position among the queues with waiting requests; -1 without any. */
  placeAmongWaiting = -1;
  #first: SeatRequest | undefined;
  #last: SeatRequest | undefined;

  constructor(index: number) {
    this.index = index;
  }

  get oldest(): SeatRequest | undefined {
    return this.#first;
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing.size === 0;
  }

  /** Raises the start of the next request to the arrival of the oldest one: no request starts before it arrives. */
  boundNextDispatch(): void {
    const oldest = this.#first;
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR;
  }

  add(request: SeatRequest): void {
    request.previous = this.#last;
    if (this.#last === undefined) this.#first = request;
    else this.#last.next = request;
    this.#last = request;
    this.#count(request, 1);
  }

  remove(request: SeatRequest): void {
    const { previous, next } = request;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    request.previous = undefined;
    request.next = undefined;
    this.#count(request, -1);
  }

  /** The waiting requests, the oldest first. */
  *requests(): Generator<SeatRequest, void> {
    for (let request = this.#first; request !== undefined; request = request.next) yield request;
  }

  #count(request: SeatRequest, sign: 1 | -1): void {
    this.waiting += sign;
    this.initialSeatsWaiting += sign * request.estimate.initialSeats;
    this.maxSeatsWaiting += sign * request.maxSeats;
    this.workWaiting += sign * request.totalWork;
  }
}
