/** nghttp2 lets a client reset that many streams in a burst, and so many more each second, before it ends the connection. */
const nghttp2Burst = 1_000;
const nghttp2PerSecond = 33;
/** Where we ask the client to move, well before that. */
const moveAt = nghttp2Burst - 200;

/**
 * Counts the streams that a client resets on one connection. A client that gives up many requests (client-go resets a watch
 * it no longer wants) would run into nghttp2's guard against reset floods, which ends the connection with all its watches;
 * so it is sent to a new connection before.
 */
export class ResetBudget {
  #used = 0;
  #since: number;
  #spent = false;

  /** `now` in milliseconds, of a clock that does not jump. */
  constructor(now: number) {
    this.#since = now;
  }

  /** Notes a reset; true once, when the client should move. */
  note(now: number): boolean {
    this.#used = Math.max(0, this.#used - ((now - this.#since) / 1_000) * nghttp2PerSecond) + 1;
    this.#since = now;
    if (this.#spent || this.#used < moveAt) return false;
    this.#spent = true;
    return true;
  }
}
