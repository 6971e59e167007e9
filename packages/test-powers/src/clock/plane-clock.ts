import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { isDate } from 'node:util/types';
import { type Clock, MAX_TIMER_MS } from '@apiserver/apimachinery/clock';
import { ControlPlaneError } from '../control-plane-error.js';
import { parsedMilliseconds } from '../matching/duration.js';

/** Turns of the event loop in which the work of a timer may schedule the next one. */
const SETTLING_TURNS = 4;

/** The time that a plane begins with: the machine's, the same but standing still, or a date at which it stands. */
export type ClockSetting = 'real' | 'held' | Date;

interface Timer {
  /** Milliseconds of this clock. */
  due: number;
  /** Real milliseconds until it is called in any case. */
  left: number;
  readonly callback: () => void;
  real: NodeJS.Timeout | undefined;
}

/**
 * The time of a control plane. It runs with the machine's, or is held. `advance` moves it forward and runs what becomes
 * due. A held clock holds times and expiry, but no pauses: a timer is also called after its real delay, so that retries
 * and polls go on.
 */
export class PlaneClock implements Clock {
  readonly #timers = new Set<Timer>();
  #offset = 0;
  #heldAt: number | undefined;
  #advancing: Promise<void> = Promise.resolve();

  /** Throws a ControlPlaneError for another setting, and for an invalid date. */
  constructor(setting: ClockSetting = 'real') {
    if (setting === 'held') this.#heldAt = Date.now();
    else if (isDate(setting) && !Number.isNaN(setting.getTime())) this.#heldAt = setting.getTime();
    else if (setting !== 'real') {
      throw new ControlPlaneError(`clock: must be "real", "held" or a valid Date, not ${inspect(setting)}`);
    }
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#heldAt ?? Date.now() + this.#offset;
  }

  get held(): boolean {
    return this.#heldAt !== undefined;
  }

  /** Stops the time. */
  hold(): void {
    this.#heldAt = this.now();
  }

  /** Lets the time run on from where it stands. */
  release(): void {
    this.#offset = this.now() - Date.now();
    this.#heldAt = undefined;
  }

  /**
   * Moves the time forward, by milliseconds or a duration such as `1h30m`. Everything that is due by then runs in
   * order, each at its time. Resolves when it has run. Throws a ControlPlaneError for a duration that is invalid or
   * negative.
   */
  advance(duration: number | string): Promise<void> {
    const milliseconds = millisecondsOf(duration);
    return this.#afterOthers(() => this.#advance(milliseconds));
  }

  /** Moves the time forward to a later one, as `advance` does. Throws a ControlPlaneError for an earlier one. */
  advanceTo(time: Date): Promise<void> {
    return this.#afterOthers(() => this.#advance(millisecondsOf(time.getTime() - this.now())));
  }

  schedule(callback: () => void, milliseconds: number): () => void {
    const left = Math.max(0, milliseconds);
    const timer: Timer = { due: this.now() + left, left, callback, real: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#remove(timer);
  }

  /** A clock at the same time that runs, or is held, alone. */
  copy(): PlaneClock {
    const copy = new PlaneClock();
    copy.#offset = this.#offset;
    copy.#heldAt = this.#heldAt;
    return copy;
  }

  #afterOthers(advance: () => Promise<void>): Promise<void> {
    const advanced = this.#advancing.then(advance);
    this.#advancing = advanced.catch(() => {});
    return advanced;
  }

  async #advance(milliseconds: number): Promise<void> {
    const isHeld = this.held;
    const until = this.now() + milliseconds;
    try {
      // A request that was just made may not have scheduled its timer yet.
      await settled();
      for (let due = this.#nextDue(until); due.length > 0; due = this.#nextDue(until)) {
        this.#heldAt = Math.max(this.now(), due[0]?.due ?? 0);
        for (const timer of due) if (this.#timers.has(timer)) this.#call(timer);
        await settled();
      }
    } finally {
      this.#heldAt = Math.max(this.now(), until);
      if (!isHeld) this.release();
      for (const timer of this.#timers) this.#rearm(timer);
    }
  }

  /** All timers of the earliest time, in the order in which they were scheduled. */
  #nextDue(until: number): readonly Timer[] {
    let next: Timer[] = [];
    for (const timer of this.#timers) {
      if (timer.due > until) continue;
      const earliest = next[0]?.due ?? Number.POSITIVE_INFINITY;
      if (timer.due < earliest) next = [timer];
      else if (timer.due === earliest) next.push(timer);
    }
    return next;
  }

  #call(timer: Timer): void {
    this.#remove(timer);
    timer.callback();
  }

  #remove(timer: Timer): void {
    clearTimeout(timer.real);
    this.#timers.delete(timer);
  }

  #rearm(timer: Timer): void {
    clearTimeout(timer.real);
    timer.left = Math.max(0, timer.due - this.now());
    this.#arm(timer);
  }

  #arm(timer: Timer): void {
    const delay = Math.min(timer.left, MAX_TIMER_MS);
    timer.left -= delay;
    timer.real = setTimeout(() => (timer.left > 0 ? this.#arm(timer) : this.#call(timer)), delay);
    timer.real.unref();
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < SETTLING_TURNS; i++) await turn();
}

function millisecondsOf(duration: number | string): number {
  const milliseconds = typeof duration === 'number' ? duration : parsedMilliseconds(duration);
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  const given = typeof duration === 'number' ? `${duration} ms` : duration;
  throw new ControlPlaneError(`a clock cannot be advanced by ${given}`);
}
