/** A receive window: received bytes reduce it, consumed bytes are returned to the peer as credit. */
export class ReceiveWindow {
  readonly #step: number;
  #open: number;
  #taken = 0;

  /** `step`: smallest credit to return at once. */
  constructor(size: number, step: number) {
    this.#open = size;
    this.#step = step;
  }

  /** Counts received bytes. Returns false if they exceed the window. */
  receive(bytes: number): boolean {
    this.#open -= bytes;
    return this.#open >= 0;
  }

  /** Counts consumed bytes. Returns the credit to send to the peer now; 0 for none yet. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.#step) return 0;
    const credit = this.#taken;
    this.#open += credit;
    this.#taken = 0;
    return credit;
  }
}
