import type { Clock } from '@apiserver/apimachinery/clock';

/** Bytes that later readers find again, or make again if they do not. */
export interface Kept {
  /** In bytes. */
  readonly size: number;
  /** The period (see `KeptForms.period`) of its last use. */
  usedIn: number;
  /** It is kept no longer. */
  forget(): void;
}

/** Bound where the caches hold less. */
const MIN_BYTES = 32 * 2 ** 20;
const PERIOD_MS = 60_000;
/**
 * Forms used in this period or the one before make no room for others: a list longer than the bound would evict itself.
 */
const RECENT_PERIODS = 2;
/** Forms unused for this many periods are dropped. */
const IDLE_PERIODS = 5;
/** Number of recent forms that are passed over to make room for one. */
const MAX_PASSED = 4;
/** Forms dropped at a time: each moves its bytes. */
const MAX_DROPPED = 1_000;
/** Until the next ones are dropped. */
const DROP_MS = 20;

/**
 * The bound on all forms of cached objects beside their wire bytes: they exist only where clients asked for them. All
 * together take at most the bytes of the cached objects, or 32 MiB if those are fewer.
 */
export class KeptForms {
  readonly #clock: Clock;
  readonly #leastBytes: number;
  /** From the one that will be evicted first. */
  readonly #held = new Set<Kept>();
  #bytes = 0;
  #cachedBytes = 0;
  #period = 0;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, leastBytes = MIN_BYTES) {
    this.#clock = clock;
    this.#leastBytes = leastBytes;
  }

  /** A number that grows each minute. */
  get period(): number {
    return this.#period;
  }

  /** Bytes of all kept forms. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the wire bytes of objects that enter or, as a negative number, leave a cache. */
  countCached(bytes: number): void {
    this.#cachedBytes += bytes;
  }

  /**
   * Reports whether there is room, which it makes by dropping forms that were not used of late. `isDear`: by dropping
   * others too, because the bytes cost much more work than most bytes do.
   */
  hasRoom(size: number, isDear = false): boolean {
    if (this.#stopped) return false;
    const bound = Math.max(this.#leastBytes, this.#cachedBytes);
    if (this.#bytes + size <= bound) return true;
    let passed = 0;
    for (const oldest of this.#held) {
      if (isDear || this.#period - oldest.usedIn >= RECENT_PERIODS) this.#drop(oldest);
      else if (++passed > MAX_PASSED) return false;
      else {
        this.#held.delete(oldest);
        this.#held.add(oldest);
      }
      if (this.#bytes + size <= bound) return true;
    }
    return false;
  }

  /** Keeps a form for which there is room. */
  add(kept: Kept): void {
    kept.usedIn = this.#period;
    this.#held.add(kept);
    this.#bytes += kept.size;
    this.#cancel ??= this.#clock.schedule(this.#nextPeriod, PERIOD_MS);
  }

  /** Stops counting a form. */
  remove(kept: Kept): void {
    if (this.#held.delete(kept)) this.#bytes -= kept.size;
  }

  /** Keeps nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  readonly #nextPeriod = (): void => {
    this.#period++;
    this.#dropIdle();
  };

  /** A few at a time. */
  readonly #dropIdle = (): void => {
    let dropped = 0;
    this.#cancel = undefined;
    for (const kept of this.#held) {
      if (this.#period - kept.usedIn < IDLE_PERIODS) continue;
      this.#drop(kept);
      if (++dropped < MAX_DROPPED) continue;
      this.#cancel = this.#clock.schedule(this.#dropIdle, DROP_MS);
      return;
    }
    if (this.#held.size > 0) this.#cancel = this.#clock.schedule(this.#nextPeriod, PERIOD_MS);
  };

  #drop(kept: Kept): void {
    this.remove(kept);
    kept.forget();
  }
}
