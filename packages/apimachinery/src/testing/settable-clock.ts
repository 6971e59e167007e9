import type { Clock } from '../clock/index.js';
import { ManualClock } from './manual-clock.js';

/** A clock as the machine's: somebody sets it while time passes evenly. */
export class SettableClock implements Clock {
  readonly monotonic: ManualClock = new ManualClock(5_000);
  #ahead: number;

  constructor(now = 1_700_000_000_000) {
    this.#ahead = now - this.monotonic.now();
  }

  now(): number {
    return this.monotonic.now() + this.#ahead;
  }

  schedule(callback: () => void, milliseconds: number): () => void {
    return this.monotonic.schedule(callback, milliseconds);
  }

  /** Sets it forward, or back by a negative time. No timer notices. */
  set(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Time passes: calls back what is due, in order. */
  advance(milliseconds: number): void {
    this.monotonic.advance(milliseconds);
  }
}
