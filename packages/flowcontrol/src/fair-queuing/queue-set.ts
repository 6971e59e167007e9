import type { LevelGauges } from '../metrics/level-gauges.js';
import type { Turns, TurnTaker } from '../turns/turns.js';
import { ExecutingRequests } from './executing-requests.js';
import type { Integrator } from './integrator.js';
import type { DispatchingConfig, QueuingConfig } from './queue-set-config.js';
import { Queues } from './queues.js';
import { type Arrival, type RequestQueue, SeatRequest } from './request-queue.js';
import { millisecondsPerSeat, seatsTimes } from './seat-seconds.js';
import { EPOCH, VirtualClock } from './virtual-clock.js';
import { ESTIMATED_SERVICE_DURATION_MS, finalWorkOf, maxSeatsOf } from './work-estimate.js';

/** Dependencies of a queue set. */
export interface QueueSetOptions {
  readonly name: string;
  readonly gauges: LevelGauges;
  /** Of the seats that requests use or wait for. */
  readonly demand: Integrator;
  readonly turns: Pick<Turns, 'mayStart' | 'mayPrecede' | 'waitToStart'>;
  /** Milliseconds of a clock that cannot be set. */
  readonly now: () => number;
  /** Calls back after that many milliseconds. */
  readonly after: (milliseconds: number, callback: () => void) => void;
  /** Called when the last request has ended. */
  readonly idle: () => void;
}

/** Numbers of requests since the start, for dumps. */
export interface QueueSetTotals {
  dispatched: number;
  rejected: number;
  /** Those of `rejected` that had waited. */
  cancelled: number;
}

/**
 * The seats and queues of one priority level. Requests get their seats by fair queuing: the queue whose oldest request
 * would end first in a world with equal shares goes first. A request needs seats, and a turn of the event loop.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go
 */
export class QueueSet implements TurnTaker {
  readonly totals: QueueSetTotals = { dispatched: 0, rejected: 0, cancelled: 0 };
  readonly queues = new Queues();
  /** Executing requests that went through no queue. */
  readonly queueless = new ExecutingRequests<SeatRequest>();
  readonly #options: QueueSetOptions;
  readonly #clock: VirtualClock;
  #queuing: QueuingConfig;
  #dispatching: DispatchingConfig = { concurrencyLimit: 0, concurrencyDenominator: 1 };
  #executing = 0;
  #seatsInUse = 0;
  /** Those of them that are of the reserve. */
  #reserveInUse = 0;
  /** Seats of requests that came from a queue. */
  #seatsOfQueues = 0;
  #isDispatching = false;
  /** Requests wait though there are seats. */
  #waitsForTurn = false;

  constructor(options: QueueSetOptions, queuing: QueuingConfig) {
    this.#options = options;
    this.#queuing = queuing;
    this.#clock = new VirtualClock(options.now(), options.gauges.currentR);
  }

  get executing(): number {
    return this.#executing;
  }

  get waiting(): number {
    return this.queues.requestsWaiting;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get isIdle(): boolean {
    return this.#executing === 0 && this.waiting === 0;
  }

  get weight(): number {
    return Math.max(1, this.#dispatching.concurrencyLimit);
  }

  /** Surplus queues vanish when they are empty. */
  configure(queuing: QueuingConfig, dispatching: DispatchingConfig): void {
    const now = this.#sync(this.#options.now());
    const hasQueues = queuing.queues > 0;
    this.#queuing = hasQueues ? queuing : { ...this.#queuing, queues: queuing.queues };
    this.#dispatching = dispatching;
    if (hasQueues) this.queues.growTo(queuing.queues);
    const { gauges } = this.#options;
    const capacity = Math.max(1, this.#queuing.queueLengthLimit) * (hasQueues ? queuing.queues : 1);
    gauges.requestsWaiting.setDenominator(capacity, now);
    gauges.requestsExecuting.setDenominator(dispatching.concurrencyDenominator, now);
    gauges.seatsExecuting.setDenominator(dispatching.concurrencyDenominator, now);
    this.#dispatch(now);
  }

  /** Undefined: rejected. Otherwise the request executes, or waits; set its `execute` then. */
  start(arrival: Arrival): SeatRequest | undefined {
    const now = this.#sync(arrival.now);
    const request = this.#queuing.queues < 1 ? this.#startWithoutQueue(arrival, now) : this.#enqueue(arrival, now);
    if (request === undefined) {
      this.totals.rejected++;
      arrival.counters.rejected(this.#queuing.queues < 1 ? 'concurrency-limit' : 'queue-full');
      return undefined;
    }
    if (request.state === 'waiting') this.#dispatch(now, request);
    return request;
  }

  /** Removes a request that waits, because its time is over or its client has gone. Does nothing for others. */
  cancel(request: SeatRequest): void {
    const { queue } = request;
    if (request.state !== 'waiting' || queue === undefined) return;
    const now = this.#sync(this.#options.now());
    request.state = 'cancelled';
    this.#leaveQueue(request, queue, now);
    queue.boundNextDispatch();
    this.#demandChanged(now);
    this.totals.rejected++;
    this.totals.cancelled++;
    request.arrival.counters.rejected('time-out');
    // The oldest request may have been too wide for the free seats.
    this.#dispatch(now);
    if (this.isIdle) this.#options.idle();
  }

  /** Ends the execution of a request. Call it once. */
  finish(request: SeatRequest, time = this.#options.now()): void {
    const now = this.#sync(time);
    const { counters } = request.arrival;
    request.state = 'finished';
    this.#executing--;
    counters.executingRequests.value--;
    this.#options.gauges.requestsExecuting.add(-1, now);
    this.#correctProgress(request, now - request.startTime);
    const { additionalLatency } = request.estimate;
    if (additionalLatency <= 0) this.#releaseSeats(request, now);
    else this.#options.after(additionalLatency, () => this.#releaseLater(request));
    this.#dispatch(now);
    if (this.isIdle) this.#options.idle();
  }

  /** Counts work for a request after it has ended: its flow then waits longer for the next seats. */
  charge({ queue, estimate }: SeatRequest, milliseconds: number): void {
    if (queue !== undefined && !queue.isIdle) queue.nextDispatchR += seatsTimes(estimate.initialSeats, milliseconds);
  }

  /** Lets one waiting request execute, if there are seats. */
  take(): boolean {
    const now = this.#sync(this.#options.now());
    if (this.#hasSeats() && this.#dispatchOne(now)) return true;
    this.#waitsForTurn = false;
    return false;
  }

  /**
   * Advances the virtual world, in which the present state has lasted since the last call. If turns are scarce, and not
   * seats, it advances by the seats in use only: otherwise all flows would fall behind, and a new one would start
   * behind them.
   */
  #sync(now: number): number {
    const { active } = this.queues;
    const wanted = this.#seatsOfQueues + (this.#waitsForTurn ? 0 : this.queues.seatsWaiting);
    const rate = active === 0 ? 0 : Math.min(wanted, this.#dispatching.concurrencyLimit) / active;
    if (this.#clock.advance(now, rate)) {
      this.queues.windBack(EPOCH);
      this.#options.gauges.epochAdvances.value++;
    }
    return now;
  }

  #startWithoutQueue(arrival: Arrival, now: number): SeatRequest | undefined {
    const request = new SeatRequest(arrival, undefined, this.#clock.r);
    if (!this.#canSeat(request.maxSeats)) return undefined;
    this.queueless.add(request);
    this.#takeSeats(request, now);
    return request;
  }

  #enqueue(arrival: Arrival, now: number): SeatRequest | undefined {
    const { counters } = arrival;
    const queue = this.queues.choose(arrival.hand);
    const { queueLengthLimit } = this.#queuing;
    if (queue.waiting >= queueLengthLimit + this.#seatsWithoutTurn(queue) && this.#areSeatsTaken()) return undefined;
    const request = new SeatRequest(arrival, queue, this.#clock.r);
    if (queue.isIdle) queue.nextDispatchR = this.#clock.r;
    this.queues.add(queue, request);
    counters.inQueueRequests.value++;
    counters.inQueueSeats.value += request.maxSeats;
    this.#options.gauges.requestsWaiting.add(1, now);
    this.#demandChanged(now);
    queue.boundNextDispatch();
    counters.queueLength.observe(queue.waiting);
    return request;
  }

  /**
   * Free seats that wait for a turn, and are left for this queue after the others: with a turn, its requests would no
   * longer be in the queue.
   */
  #seatsWithoutTurn(queue: RequestQueue): number {
    if (!this.#waitsForTurn) return 0;
    const free = this.#dispatching.concurrencyLimit - this.#seatsInUse;
    return Math.max(0, free - (this.waiting - queue.waiting));
  }

  /**
   * Requests that wait for turns alone count as if they had their seats. Otherwise nothing would limit their number.
   */
  #areSeatsTaken(): boolean {
    const seats = this.#seatsInUse + (this.#waitsForTurn ? this.queues.seatsWaiting : 0);
    return seats >= this.#dispatching.concurrencyLimit;
  }

  #hasSeats(): boolean {
    return this.waiting > 0 && this.#seatsInUse < this.#dispatching.concurrencyLimit;
  }

  /**
   * Requests that end at once call this again; the outer call goes on for them. `arrived`: the request that has just
   * come.
   */
  #dispatch(now: number, arrived?: SeatRequest): void {
    if (this.#isDispatching || !this.#hasSeats()) return;
    this.#isDispatching = true;
    let time = now;
    try {
      while (this.#hasSeats()) {
        if (!this.#options.turns.mayStart(time) && !this.#mayPrecede(arrived, time)) {
          this.#waitsForTurn = true;
          this.#options.turns.waitToStart(this);
          break;
        }
        if (!this.#dispatchOne(time)) break;
        if (this.waiting > 0) time = this.#options.now();
      }
    } finally {
      this.#isDispatching = false;
    }
  }

  /** The next turn would begin with this request, of a flow that has no other one. */
  #mayPrecede(arrived: SeatRequest | undefined, now: number): boolean {
    const queue = arrived?.queue;
    if (queue === undefined || queue.waiting !== 1 || queue.executing.size > 0) return false;
    return this.#options.turns.mayPrecede(now) && this.#firstQueue() === queue;
  }

  /**
   * The queue that goes first, if its request has seats. Otherwise the first of those that the reserve is for: such a
   * request does not delay the other one, which can never have its seats.
   */
  #firstQueue(): RequestQueue | undefined {
    const queue = this.queues.first();
    if (queue?.oldest === undefined) return undefined;
    queue.oldest.isOfReserve = false;
    if (this.#canSeat(queue.oldest.maxSeats)) return queue;
    const { concurrencyLimit, reserve = 0 } = this.#dispatching;
    // One that needs seats of the reserve waits until nothing executes.
    const free = queue.oldest.maxSeats > concurrencyLimit - reserve ? 0 : reserve - this.#reserveInUse;
    const idle = free > 0 ? this.queues.first(free) : undefined;
    if (idle?.oldest !== undefined) idle.oldest.isOfReserve = true;
    return idle;
  }

  #dispatchOne(now: number): boolean {
    const queue = this.#firstQueue();
    const request = queue?.oldest;
    if (queue === undefined || request === undefined) {
      const refused = this.queues.first()?.oldest;
      if (refused !== undefined) refused.arrival.counters.noAccommodation.value++;
      return false;
    }
    this.queues.visited(queue);
    this.queues.report(this.#options.gauges, queue);
    this.#leaveQueue(request, queue, now);
    this.#fitFinalSeats(request);
    this.#options.gauges.dispatchR.value = this.#options.gauges.currentR.value;
    this.queues.execute(queue, request);
    this.#seatsOfQueues += request.maxSeats;
    queue.nextDispatchR += request.totalWork;
    queue.boundNextDispatch();
    this.#takeSeats(request, now);
    request.execute?.();
    return true;
  }

  #canSeat(seats: number): boolean {
    const { concurrencyLimit, reserve = 0 } = this.#dispatching;
    if (this.#queuing.queues < 0) return true;
    const limit = concurrencyLimit - reserve;
    // A request that is wider than the level executes alone.
    if (seats > limit) return this.#executing === 0;
    return this.#seatsInUse - this.#reserveInUse + seats <= limit;
  }

  /** Final seats beyond the limit become a longer time, so that the work stays the same. */
  #fitFinalSeats(request: SeatRequest): void {
    const { concurrencyLimit } = this.#dispatching;
    if (request.estimate.finalSeats <= concurrencyLimit) return;
    const additionalLatency = millisecondsPerSeat(finalWorkOf(request.estimate), concurrencyLimit);
    request.estimate = { ...request.estimate, finalSeats: concurrencyLimit, additionalLatency };
    request.maxSeats = maxSeatsOf(request.estimate);
  }

  #leaveQueue(request: SeatRequest, queue: RequestQueue, now: number): void {
    const { counters } = request.arrival;
    this.queues.remove(queue, request);
    counters.inQueueRequests.value--;
    counters.inQueueSeats.value -= request.maxSeats;
    this.#options.gauges.requestsWaiting.add(-1, now);
  }

  #takeSeats(request: SeatRequest, now: number): void {
    const { counters } = request.arrival;
    const { gauges } = this.#options;
    request.state = 'executing';
    request.startTime = now;
    this.totals.dispatched++;
    this.#executing++;
    this.#seatsInUse += request.maxSeats;
    if (request.isOfReserve) this.#reserveInUse += request.maxSeats;
    counters.executingRequests.value++;
    counters.executingSeats.value += request.maxSeats;
    counters.dispatched.value++;
    gauges.requestsExecuting.add(1, now);
    gauges.seatsExecuting.add(request.maxSeats, now);
    this.#demandChanged(now);
  }

  /** Replaces the expected duration of a request by the actual one. */
  #correctProgress(request: SeatRequest, duration: number): void {
    const { queue } = request;
    if (queue === undefined) {
      this.queueless.delete(request);
      return;
    }
    this.queues.ended(queue, request);
    queue.nextDispatchR -= seatsTimes(request.estimate.initialSeats, ESTIMATED_SERVICE_DURATION_MS - duration);
    queue.boundNextDispatch();
  }

  #releaseLater(request: SeatRequest): void {
    const now = this.#sync(this.#options.now());
    this.#releaseSeats(request, now);
    this.#dispatch(now);
  }

  #releaseSeats({ arrival, queue, maxSeats, isOfReserve }: SeatRequest, now: number): void {
    this.#seatsInUse -= maxSeats;
    if (isOfReserve) this.#reserveInUse -= maxSeats;
    arrival.counters.executingSeats.value -= maxSeats;
    this.#options.gauges.seatsExecuting.add(-maxSeats, now);
    this.#demandChanged(now);
    if (queue === undefined) return;
    queue.seatsInUse -= maxSeats;
    this.#seatsOfQueues -= maxSeats;
    this.#removeIfSurplus(queue);
  }

  #removeIfSurplus(queue: RequestQueue): void {
    if (queue.isIdle && this.queues.size > this.#queuing.queues) this.queues.drop(queue);
  }

  #demandChanged(now: number): void {
    const seats = this.#seatsInUse + this.queues.seatsWaiting;
    this.#options.demand.set(seats, now);
    this.#options.gauges.seatDemand.set(seats, now);
  }
}
