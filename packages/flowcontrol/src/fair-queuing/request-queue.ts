import type { SeatRequest } from './seat-request.js';
import type { SeatSeconds } from './seat-seconds.js';

/**
 * The requests of one queue. The waiting ones form a list, from which a cancelled one is removed without a search.
 * Upstream: queue and requestFIFO of k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset
 */
export class RequestQueue {
  /** The position among the queues of its set. */
  index: number;
  /** The progress of the set at which the next request starts in the virtual world. */
  nextDispatchR: SeatSeconds = 0;
  readonly executing = new Set<SeatRequest>();
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
