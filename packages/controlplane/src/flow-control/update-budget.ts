const PERIOD = 60_000;
/** Updates of one object within the period. */
const UPDATES = 6;

/** Limits updates of each object, in case two servers disagree. Upstream: shouldDelayUpdate of apf_controller.go */
export class UpdateBudget {
  readonly #now: () => number;
  readonly #updates = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts an update; false if there were too many. */
  take(name: string): boolean {
    const now = this.#now();
    const recent = (this.#updates.get(name) ?? []).filter((time) => now - time < PERIOD);
    const isAllowed = recent.length < UPDATES;
    this.#updates.set(name, isAllowed ? [...recent, now] : recent);
    return isAllowed;
  }
}
