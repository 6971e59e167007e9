/** What the other side may send: bytes that come use it up, bytes that were taken open it again. */
export class ReceiveWindow {
  readonly #step: number;
  #open: number;
  #taken = 0;

  /** The other side hears of room for `step` bytes at least. */
  constructor(size: number, step: number) {
    this.#open = size;
    this.#step = step;
  }

  /** Bytes have come; answers whether they were allowed. */
  receive(bytes: number): boolean {
    this.#open -= bytes;
    return this.#open >= 0;
  }

  /** Bytes were taken; answers how many the other side is to be given leave for now. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.#step) return 0;
    const leave = this.#taken;
    this.#open += leave;
    this.#taken = 0;
    return leave;
  }
}
