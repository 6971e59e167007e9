/** A receive window: received bytes reduce it, consumed bytes are returned to the peer as credit. */
export class ReceiveWindow {
  readonly #step: number;
  #open: number;
  #taken = 0;

  /** `step`: least number of bytes to return at once. */
  constructor(size: number, step: number) {
    this.#open = size;
    this.#step = step;
  }

  /** Takes received bytes. Returns false when they exceed the window. */
  receive(bytes: number): boolean {
    this.#open -= bytes;
    return this.#open >= 0;
  }

  /** Takes consumed bytes. Returns the credit to send to the peer now; 0: none yet. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.#step) return 0;
    const leave = this.#taken;
    this.#open += leave;
    this.#taken = 0;
    return leave;
  }
}
