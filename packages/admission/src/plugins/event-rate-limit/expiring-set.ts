/** A set of names with an expiry each and a bounded size; the oldest names are evicted first. */
export class ExpiringSet {
  /** Expiry of each name, in milliseconds since the epoch; in order of insertion. */
  readonly #expiry = new Map<string, number>();
  readonly #maxEntries: number;
  readonly #milliseconds: number;
  readonly #clock: { now(): number };

  constructor(maxEntries: number, milliseconds: number, clock: { now(): number }) {
    this.#maxEntries = maxEntries;
    this.#milliseconds = milliseconds;
    this.#clock = clock;
  }

  /** Adds a name, or restarts its expiry. */
  add(name: string): void {
    this.#expiry.delete(name);
    this.#expiry.set(name, this.#clock.now() + this.#milliseconds);
    const [oldest] = this.#expiry.keys();
    if (oldest !== undefined && this.#expiry.size > this.#maxEntries) this.#expiry.delete(oldest);
  }

  has(name: string): boolean {
    const expiry = this.#expiry.get(name);
    if (expiry === undefined) return false;
    if (this.#clock.now() <= expiry) return true;
    this.#expiry.delete(name);
    return false;
  }
}
