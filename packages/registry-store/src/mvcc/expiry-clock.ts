import { type Clock, durationClock } from '@apiserver/apimachinery/clock';

/** Smaller differences come from the steady adjustment of a clock. */
const MIN_STEP_MS = 10_000;

/**
 * The time of expiries, in milliseconds since the epoch. It passes evenly when the machine's clock is set, so that no key
 * ends early or stays; it follows on request, and the caller then moves all expiries too.
 */
export class ExpiryClock {
  readonly #clock: Clock;
  readonly #passing: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#passing = durationClock(clock);
    this.#offset = clock.now() - this.#passing.now();
  }

  now(): number {
    return this.#passing.now() + this.#offset;
  }

  schedule(callback: () => void, milliseconds: number): () => void {
    return this.#passing.schedule(callback, milliseconds);
  }

  /** False for a clock of tests, which nobody sets. */
  get canBeSet(): boolean {
    return this.#passing !== this.#clock;
  }

  get wasSet(): boolean {
    return Math.abs(this.#clock.now() - this.now()) >= MIN_STEP_MS;
  }

  /** Takes the machine's time. Returns the milliseconds by which this clock was moved. */
  follow(): number {
    const step = this.#clock.now() - this.now();
    this.#offset += step;
    return Math.round(step);
  }
}
