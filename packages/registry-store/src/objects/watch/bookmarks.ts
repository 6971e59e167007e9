import { type Clock, durationClock } from '@apiserver/apimachinery/clock';

const TICK_MS = 1000;
const FREQUENCY_MS = 60_000;
const BEFORE_DEADLINE_MS = 2000;

/** A watcher that receives bookmarks. */
export interface BookmarkReceiver {
  /** By the clock for durations; undefined if unknown. */
  readonly deadline: number | undefined;
  bookmark(): void;
}

/**
 * Calls receivers about every minute, and once shortly before their deadline, so that a returning client resumes from a
 * recent version. The timer only runs while there are receivers.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go nextBookmarkTime
 */
export class Bookmarks {
  readonly #clock: Clock;
  readonly #next = new Map<BookmarkReceiver, number>();
  #cancel: () => void = () => {};
  /** Time of the scheduled tick. */
  #tickAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = durationClock(clock);
  }

  /** A receiver that is known keeps its time. */
  add(receiver: BookmarkReceiver): void {
    if (this.#next.has(receiver)) return;
    const now = this.#clock.now();
    this.#plan(receiver, now);
    this.#schedule(this.#next.get(receiver), now);
  }

  remove(receiver: BookmarkReceiver): void {
    this.#next.delete(receiver);
    if (this.#next.size === 0) this.#stop();
  }

  #tick(): void {
    this.#stop();
    const now = this.#clock.now();
    let earliest: number | undefined;
    for (const [receiver, at] of this.#next) {
      // After a clock was set back, times that were planned before are more than a minute away.
      if (at <= now || at > now + FREQUENCY_MS) {
        this.#plan(receiver, now);
        receiver.bookmark();
      }
      const next = this.#next.get(receiver);
      if (next !== undefined) earliest = Math.min(next, earliest ?? next);
    }
    this.#schedule(earliest, now);
  }

  /** Ticks at `at`, or a second from now at the earliest, so that one tick serves many receivers. */
  #schedule(at: number | undefined, now: number): void {
    if (at === undefined) return;
    const tickAt = Math.max(at, now + TICK_MS);
    if (tickAt >= this.#tickAt) return;
    this.#cancel();
    this.#tickAt = tickAt;
    this.#cancel = this.#clock.schedule(() => this.#tick(), tickAt - now);
  }

  #stop(): void {
    this.#cancel();
    this.#cancel = () => {};
    this.#tickAt = Number.POSITIVE_INFINITY;
  }

  /** Nothing is sent in the last two seconds. */
  #plan(receiver: BookmarkReceiver, now: number): void {
    const latest = receiver.deadline === undefined ? Number.POSITIVE_INFINITY : receiver.deadline - BEFORE_DEADLINE_MS;
    const next = Math.min(now + FREQUENCY_MS, latest);
    if (next > now) this.#next.set(receiver, next);
    else this.#next.delete(receiver);
  }
}
