import type { FlowCounters } from '../metrics/flow-counters.js';
import type { RequestQueue } from './request-queue.js';
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
  /** Called once, when a waiting request gets its seats. Must not throw. */
  execute: (() => void) | undefined;
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
