import { hasElapsed } from '@apiserver/apimachinery/clock';

const PERIOD_MS = 60_000;
/** Updates of one object within the period. */
const UPDATES = 6;

/** Limits updates of each object, in case two servers disagree. Upstream: shouldDelayUpdate of apf_controller.go */
export class UpdateBudget {
  readonly #now: () => number;
  /** By name, in the order of the last update: objects come and go. */
  readonly #updates = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The number of objects with updates that still count. */
  get size(): number {
    return this.#updates.size;
  }

  /** Counts an update; false if there were too many. */
  take(name: string): boolean {
    const now = this.#now();
    const isRecent = (time = 0) => !hasElapsed({ now: () => now }, time, PERIOD_MS);
    for (const [other, times] of this.#updates) {
      if (isRecent(times.at(-1))) break;
      this.#updates.delete(other);
    }
    const recent = (this.#updates.get(name) ?? []).filter(isRecent);
    const isAllowed = recent.length < UPDATES;
    if (isAllowed) {
      this.#updates.delete(name);
      this.#updates.set(name, [...recent, now]);
    }
    return isAllowed;
  }
}
