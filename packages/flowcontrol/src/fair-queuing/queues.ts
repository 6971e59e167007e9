import type { LevelGauges } from '../metrics/level-gauges.js';
import { RequestQueue, type SeatRequest } from './request-queue.js';
import { MAX_SEAT_SECONDS, type SeatSeconds, seatsTimes, toSeatSeconds } from './seat-seconds.js';
import { ESTIMATED_SERVICE_DURATION_MS } from './work-estimate.js';

/** A client that waits for one request of its own may have another one. */
const FEW_EXECUTING = 2;

/**
 * The queues of a set, with sums over them. Choices look only at the queues with waiting requests: most levels have 128
 * queues, and few of them wait.
 */
export class Queues {
  /** By index; a queue is made for its first request. An administrator may ask for ten million of them. */
  readonly #used = new Map<number, RequestQueue>();
  #size = 0;
  /** The queues with waiting requests, in no order. */
  readonly #withWaiting: RequestQueue[] = [];
  /** The queue that was dispatched last. */
  #robin = 0;
  #enqueued = 0;
  requestsWaiting = 0;
  seatsWaiting = 0;
  /** Queues with requests that wait or execute. */
  active = 0;

  get size(): number {
    return this.#size;
  }

  /** The queues that have had a request, in no order. */
  get used(): Iterable<RequestQueue> {
    return this.#used.values();
  }

  /** All queues in their order. There may be millions. */
  *[Symbol.iterator](): Generator<RequestQueue, void> {
    for (let i = 0; i < this.#size; i++) yield this.#used.get(i) ?? new RequestQueue(i);
  }

  growTo(size: number): void {
    this.#size = Math.max(this.#size, size);
  }

  /** The queue of the hand with the least waiting work. The first look alternates, so that flows spread. */
  choose(hand: readonly number[]): RequestQueue {
    const offset = this.#enqueued++ % hand.length;
    let best = -1;
    let leastWork = MAX_SEAT_SECONDS;
    for (let i = 0; i < hand.length; i++) {
      const index = hand[(offset + i) % hand.length] ?? 0;
      const work = this.#used.get(index)?.workWaiting ?? 0;
      if (work >= leastWork || index >= this.#size) continue;
      best = index;
      leastWork = work;
    }
    if (best < 0) throw new RangeError('the hand has no queue of the set');
    return this.#at(best);
  }

  #at(index: number): RequestQueue {
    const known = this.#used.get(index);
    if (known !== undefined) return known;
    const made = new RequestQueue(index);
    this.#used.set(index, made);
    return made;
  }

  add(queue: RequestQueue, request: SeatRequest): void {
    if (queue.isIdle) this.active++;
    queue.add(request);
    this.requestsWaiting++;
    this.seatsWaiting += request.maxSeats;
    if (queue.placeAmongWaiting >= 0) return;
    queue.placeAmongWaiting = this.#withWaiting.length;
    this.#withWaiting.push(queue);
  }

  /** Removes a waiting request. If it executes now, call `execute`. */
  remove(queue: RequestQueue, request: SeatRequest): void {
    queue.remove(request);
    this.requestsWaiting--;
    this.seatsWaiting -= request.maxSeats;
    if (queue.waiting === 0) this.#forgetWaiting(queue);
    if (queue.isIdle) this.active--;
  }

  execute(queue: RequestQueue, request: SeatRequest): void {
    if (queue.isIdle) this.active++;
    queue.executing.add(request);
    queue.seatsInUse += request.maxSeats;
  }

  /** The request keeps its seats until the caller takes them. */
  ended(queue: RequestQueue, request: SeatRequest): void {
    queue.executing.delete(request);
    if (queue.isIdle) this.active--;
  }

  /**
   * The queue whose oldest request would end first. Of equal ones, the next one after the last choice. Undefined if
   * nothing waits. `ofReserve`: of the queues with few executing requests whose next request needs no more seats than
   * that.
   */
  first(ofReserve?: number): RequestQueue | undefined {
    let best: RequestQueue | undefined;
    let bestFinish = MAX_SEAT_SECONDS;
    for (const queue of this.#withWaiting) {
      if (ofReserve !== undefined && !isForReserve(queue, ofReserve)) continue;
      const finish = queue.nextDispatchR + (queue.oldest?.totalWork ?? 0);
      const isBetter = finish < bestFinish || (finish === bestFinish && this.#isSooner(queue, best));
      if (!isBetter) continue;
      best = queue;
      bestFinish = finish;
    }
    return best;
  }

  /** Tells of a queue that is about to dispatch, and of those that wait with it. Upstream: SetDispatchMetrics */
  report(gauges: LevelGauges, best: RequestQueue): void {
    let [min, max, discountedMin, discountedMax] = [MAX_SEAT_SECONDS, 0, MAX_SEAT_SECONDS, Number.NEGATIVE_INFINITY];
    for (const queue of this.#withWaiting) {
      const start = queue.nextDispatchR;
      const discounted = start - seatsTimes(queue.seatsInUse, ESTIMATED_SERVICE_DURATION_MS);
      min = Math.min(min, start);
      max = Math.max(max, start);
      discountedMin = Math.min(discountedMin, discounted);
      discountedMax = Math.max(discountedMax, discounted);
    }
    gauges.latestS.value = toSeatSeconds(best.nextDispatchR);
    gauges.nextSMin.value = toSeatSeconds(min);
    gauges.nextSMax.value = toSeatSeconds(max);
    gauges.nextDiscountedSMin.value = toSeatSeconds(discountedMin);
    gauges.nextDiscountedSMax.value = toSeatSeconds(discountedMax);
  }

  visited({ index }: RequestQueue): void {
    this.#robin = index;
  }

  /** Removes an empty queue; the later ones move up. A request may linger in a queue that is removed already. */
  drop(queue: RequestQueue): void {
    const { index } = queue;
    if (this.#used.get(index) !== queue) return;
    this.#used.delete(index);
    this.#size--;
    const later = [...this.#used.values()].filter((other) => other.index > index);
    for (const other of later.sort((a, b) => a.index - b.index)) {
      this.#used.delete(other.index);
      other.index--;
      this.#used.set(other.index, other);
    }
    if (this.#robin >= index) this.#robin--;
  }

  /** Winds all readings of the progress back. */
  windBack(by: SeatSeconds): void {
    for (const queue of this.#used.values()) {
      queue.nextDispatchR = queue.isIdle ? 0 : queue.nextDispatchR - by;
      for (const request of queue.requests()) request.arrivalR -= by;
    }
  }

  #forgetWaiting(queue: RequestQueue): void {
    const place = queue.placeAmongWaiting;
    queue.placeAmongWaiting = -1;
    const last = this.#withWaiting.pop();
    if (last === undefined || last === queue) return;
    this.#withWaiting[place] = last;
    last.placeAmongWaiting = place;
  }

  #isSooner(queue: RequestQueue, other: RequestQueue | undefined): boolean {
    return other === undefined || this.#distance(queue) < this.#distance(other);
  }

  /** Steps from the last choice, at least 1. */
  #distance({ index }: RequestQueue): number {
    return ((index - this.#robin - 1 + this.#size) % this.#size) + 1;
  }
}

function isForReserve({ executing, oldest }: RequestQueue, seats: number): boolean {
  return executing.size < FEW_EXECUTING && oldest !== undefined && oldest.maxSeats <= seats;
}
