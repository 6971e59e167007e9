import type { Clock } from '@apiserver/apimachinery/clock';

const TICK_MS = 1000;
const FREQUENCY_MS = 60_000;
const BEFORE_DEADLINE_MS = 2000;

/** A watcher that receives bookmarks. */
export interface BookmarkReceiver {
  /** Milliseconds since the epoch; undefined if unknown. */
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
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(receiver: BookmarkReceiver): void {
    this.#plan(receiver, this.#clock.now());
    this.#cancel ??= this.#clock.schedule(() => this.#tick(), TICK_MS);
  }

  remove(receiver: BookmarkReceiver): void {
    this.#next.delete(receiver);
    if (this.#next.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #tick(): void {
    this.#cancel = undefined;
    const now = this.#clock.now();
    for (const [receiver, at] of this.#next) {
      if (at > now) continue;
      this.#plan(receiver, now);
      receiver.bookmark();
    }
    if (this.#next.size > 0) this.#cancel = this.#clock.schedule(() => this.#tick(), TICK_MS);
  }

  /** Nothing is sent in the last two seconds. */
  #plan(receiver: BookmarkReceiver, now: number): void {
    const latest = receiver.deadline === undefined ? Number.POSITIVE_INFINITY : receiver.deadline - BEFORE_DEADLINE_MS;
    const next = Math.min(now + FREQUENCY_MS, latest);
    if (next > now) this.#next.set(receiver, next);
    else this.#next.delete(receiver);
  }
}
