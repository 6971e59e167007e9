import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import type { Transformer } from '../../objects/transformer.js';

/** Time after which an unused key is dropped. Upstream: cacheTTL of kmsv2/envelope.go */
const KEEP_MS = 24 * 3_600_000;

interface Kept {
  readonly transformer: Transformer;
  /** In the clock's milliseconds. */
  usedAt: number;
}

/**
 * Transformers by the source of their key, so that a plugin decrypts each only once.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2/cache.go
 */
export class DataKeyCache {
  readonly #clock: Clock;
  readonly #changed: (count: number) => void;
  readonly #kept = new Map<string, Kept>();

  /** `changed` receives the number of entries. */
  constructor(clock: Clock, changed: (count: number) => void) {
    this.#clock = durationClock(clock);
    this.#changed = changed;
  }

  get(cacheKey: string): Transformer | undefined {
    const kept = this.#kept.get(cacheKey);
    return kept === undefined || this.#isOver(kept) ? undefined : kept.transformer;
  }

  /** Adds an entry. */
  set(cacheKey: string, transformer: Transformer): void {
    const now = this.#clock.now();
    const kept = this.#kept.get(cacheKey);
    if (kept?.transformer === transformer) {
      kept.usedAt = now;
      return;
    }
    for (const [other, entry] of this.#kept) if (this.#isOver(entry)) this.#kept.delete(other);
    this.#kept.set(cacheKey, { transformer, usedAt: now });
    this.#changed(this.#kept.size);
  }

  #isOver({ usedAt }: Kept): boolean {
    return hasElapsed(this.#clock, usedAt, KEEP_MS);
  }
}
