import type { LevelGauges } from '../metrics/level-gauges.js';
import { RequestQueue, type SeatRequest } from './request-queue.js';
import { MAX_SEAT_SECONDS, type SeatSeconds, seatsTimes, toSeatSeconds } from './seat-seconds.js';
import { ESTIMATED_SERVICE_DURATION } from './work-estimate.js';

/**
 * The queues of a set, with sums over them. Choices look only at the queues with waiting requests: most levels have 128
 * queues, and few of them wait.
 */
export class Queues {
  readonly #all: RequestQueue[] = [];
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
    return this.#all.length;
  }

  [Symbol.iterator](): Iterator<RequestQueue> {
    return this.#all.values();
  }

  growTo(size: number): void {
    while (this.#all.length < size) this.#all.push(new RequestQueue(this.#all.length));
  }

  /** The queue of the hand with the least waiting work. The first look alternates, so that flows spread. */
  choose(hand: readonly number[]): RequestQueue {
    const offset = this.#enqueued++ % hand.length;
    let best: RequestQueue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#all[hand[(offset + i) % hand.length] ?? 0];
      if (queue !== undefined && queue.workWaiting < (best?.workWaiting ?? MAX_SEAT_SECONDS)) best = queue;
    }
    if (best === undefined) throw new RangeError('the hand has no queue of the set');
    return best;
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
   * nothing waits.
   */
  first(gauges: LevelGauges): RequestQueue | undefined {
    let best: RequestQueue | undefined;
    let bestFinish = MAX_SEAT_SECONDS;
    for (const queue of this.#withWaiting) {
      const finish = queue.nextDispatchR + (queue.oldest?.totalWork ?? 0);
      const isBetter = finish < bestFinish || (finish === bestFinish && this.#isSooner(queue, best));
      if (!isBetter) continue;
      best = queue;
      bestFinish = finish;
    }
    if (best !== undefined) this.#report(gauges, best);
    return best;
  }

  visited({ index }: RequestQueue): void {
    this.#robin = index;
  }

  /** Removes an empty queue; the later ones move up. A request may linger in a queue that is removed already. */
  drop(queue: RequestQueue): void {
    const { index } = queue;
    if (this.#all[index] !== queue) return;
    this.#all.splice(index, 1);
    for (let i = index; i < this.#all.length; i++) {
      const later = this.#all[i];
      if (later !== undefined) later.index = i;
    }
    if (this.#robin >= index) this.#robin--;
  }

  /** Winds all readings of the progress back. */
  windBack(by: SeatSeconds): void {
    for (const queue of this.#all) {
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
    const { length } = this.#all;
    return ((index - this.#robin - 1 + length) % length) + 1;
  }

  #report(gauges: LevelGauges, best: RequestQueue): void {
    let [min, max, discountedMin, discountedMax] = [MAX_SEAT_SECONDS, 0, MAX_SEAT_SECONDS, Number.NEGATIVE_INFINITY];
    for (const queue of this.#withWaiting) {
      const start = queue.nextDispatchR;
      const discounted = start - seatsTimes(queue.seatsInUse, ESTIMATED_SERVICE_DURATION);
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
}
