/** A set of names that forgets: each after a while, and the oldest when there are too many. */
export class ExpiringSet {
  /** When each name is forgotten, in milliseconds since the epoch; in the order of addition. */
  readonly #expiry = new Map<string, number>();
  readonly #maxEntries: number;
  readonly #milliseconds: number;
  readonly #clock: { now(): number };

  constructor(maxEntries: number, milliseconds: number, clock: { now(): number }) {
    this.#maxEntries = maxEntries;
    this.#milliseconds = milliseconds;
    this.#clock = clock;
  }

  /** Remembers a name, from now on anew. */
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
