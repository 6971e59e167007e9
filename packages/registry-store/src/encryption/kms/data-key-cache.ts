import type { Clock } from '@apiserver/apimachinery/clock';
import type { Transformer } from '../../objects/transformer.js';

/** Time after which an unused key is dropped. Upstream: cacheTTL of kmsv2/envelope.go */
const KEEP_MS = 24 * 3_600_000;

interface Kept {
  readonly transformer: Transformer;
  until: number;
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
    this.#clock = clock;
    this.#changed = changed;
  }

  get(cacheKey: string): Transformer | undefined {
    const kept = this.#kept.get(cacheKey);
    return kept !== undefined && this.#clock.now() < kept.until ? kept.transformer : undefined;
  }

  /** Adds an entry. */
  set(cacheKey: string, transformer: Transformer): void {
    const now = this.#clock.now();
    const kept = this.#kept.get(cacheKey);
    if (kept?.transformer === transformer) {
      kept.until = now + KEEP_MS;
      return;
    }
    for (const [other, { until }] of this.#kept) if (until <= now) this.#kept.delete(other);
    this.#kept.set(cacheKey, { transformer, until: now + KEEP_MS });
    this.#changed(this.#kept.size);
  }
}
