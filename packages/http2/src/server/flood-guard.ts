import { Http2Code, Http2Error } from '../frames/frame-types.js';

/**
 * A client may reset that many streams in a burst before they are answered, and so many more each second, before its connection
 * ends; as nghttp2.
 */
const RESET_BURST = 1_000;
const RESETS_PER_SECOND = 33;
/** Where it is asked to move, well before that. */
const MOVE_AT = RESET_BURST - 200;
/** Frames that carry nothing. */
const IDLE_BURST = 10_000;
const IDLE_PER_SECOND = 1_000;
/** Answers to pings and settings that a client may leave unread. Upstream: maxQueuedControlFrames in x/net/http2/server.go */
const MAX_UNREAD_REPLIES = 10_000;

/** A count that sinks with time. */
class LeakyCount {
  readonly #perSecond: number;
  #level = 0;
  #since = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** The count with one more; `now` in milliseconds, of a clock that does not jump. */
  add(now: number): number {
    this.#level = Math.max(0, this.#level - ((now - this.#since) / 1_000) * this.#perSecond) + 1;
    this.#since = now;
    return this.#level;
  }
}

/**
 * Counts what costs a client little and us more: streams that it resets or makes us reset, frames that carry nothing, answers
 * that it does not read. A client that gives up many requests (client-go resets what has taken too long) is asked to move to a
 * new connection before it is taken for an attacker.
 */
export class FloodGuard {
  readonly #resets = new LeakyCount(RESETS_PER_SECOND);
  readonly #idle = new LeakyCount(IDLE_PER_SECOND);
  #unreadReplies = 0;
  #askedToMove = false;

  /** A stream was reset; true once, when the client should move. Throws Http2Error when it is too much. */
  noteReset(now: number): boolean {
    const resets = this.#resets.add(now);
    if (resets > RESET_BURST) throw tooMuch('streams are reset too fast');
    if (this.#askedToMove || resets < MOVE_AT) return false;
    this.#askedToMove = true;
    return true;
  }

  /** A frame carried nothing. Throws Http2Error when it is too much. */
  noteIdleFrame(now: number): void {
    if (this.#idle.add(now) > IDLE_BURST) throw tooMuch('too many frames carry nothing');
  }

  /** A ping or settings are answered. Throws Http2Error when too many answers are not read. */
  noteUnreadReply(): void {
    if (++this.#unreadReplies > MAX_UNREAD_REPLIES) throw tooMuch('the client asks and does not listen');
  }

  /** The socket has taken all answers. */
  repliesRead(): void {
    this.#unreadReplies = 0;
  }
}

function tooMuch(message: string): Http2Error {
  return new Http2Error(Http2Code.enhanceYourCalm, message);
}
