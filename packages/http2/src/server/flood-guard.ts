import { Http2Code, Http2Error } from '../frames/frame-types.js';

/**
 * Resets of streams without a response that a connection may make in a burst, and per second after it. Above them the
 * connection ends. nghttp2 has the same limits.
 */
const RESET_BURST = 1_000;
const RESETS_PER_SECOND = 33;
/** Number of resets at which the client is asked to move to another connection. */
const MOVE_AT = RESET_BURST - 200;
/** Limits for frames without content. */
const IDLE_BURST = 10_000;
const IDLE_PER_SECOND = 1_000;
/**
 * Acknowledgements of PING and SETTINGS that a client may leave unread. Upstream: maxQueuedControlFrames in
 * x/net/http2/server.go
 */
const MAX_UNREAD_REPLIES = 10_000;

/** A leaky bucket. */
class LeakyCount {
  readonly #perSecond: number;
  #level = 0;
  #since = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Adds one and returns the level; `now` in monotonic milliseconds. */
  add(now: number): number {
    this.#level = Math.max(0, this.#level - ((now - this.#since) / 1_000) * this.#perSecond) + 1;
    this.#since = now;
    return this.#level;
  }
}

/**
 * Counts actions that are cheap for a client and expensive for the server: resets of streams, frames without content,
 * and acknowledgements that the client does not read. A client that cancels many requests, as client-go does on
 * timeouts, is asked to move before its connection ends.
 */
export class FloodGuard {
  readonly #resets = new LeakyCount(RESETS_PER_SECOND);
  readonly #idle = new LeakyCount(IDLE_PER_SECOND);
  #unreadReplies = 0;
  #sentGoaway = false;

  /**
   * Records the reset of a stream. Returns true once, when the client should move. Throws Http2Error above the limit.
   */
  noteReset(now: number): boolean {
    const resets = this.#resets.add(now);
    if (resets > RESET_BURST) throw tooMuch('streams are reset too fast');
    if (this.#sentGoaway || resets < MOVE_AT) return false;
    this.#sentGoaway = true;
    return true;
  }

  /** Records a frame without content. Throws Http2Error above the limit. */
  noteIdleFrame(now: number): void {
    if (this.#idle.add(now) > IDLE_BURST) throw tooMuch('too many frames carry nothing');
  }

  /** Records an acknowledgement of PING or SETTINGS. Throws Http2Error if too many are unread. */
  noteUnreadReply(): void {
    if (++this.#unreadReplies > MAX_UNREAD_REPLIES) throw tooMuch('the client asks and does not listen');
  }

  /** The socket has accepted all acknowledgements. */
  repliesRead(): void {
    this.#unreadReplies = 0;
  }
}

function tooMuch(message: string): Http2Error {
  return new Http2Error(Http2Code.enhanceYourCalm, message);
}
