/** Bounds of one call. */
export interface BatchBounds {
  readonly items: number;
  readonly bytes: number;
  /** Calls at the same time; others wait. */
  readonly calls: number;
}

/** Something to be converted. */
export interface BatchItem<T> {
  readonly value: T;
  readonly bytes: number;
}

interface Waiting<T, R> extends BatchItem<T> {
  readonly key: string;
  readonly resolve: (result: R | Promise<R>) => void;
}

/**
 * Joins what is asked for in one turn of the event loop into few calls: lists and watch events then cost one call for
 * many objects. Values of different keys are never in one call.
 */
export class ConversionBatches<T, R> {
  readonly #bounds: BatchBounds;
  readonly #call: (key: string, values: readonly T[]) => readonly Promise<R>[];
  readonly #waiting: Waiting<T, R>[] = [];
  #running = 0;
  #isScheduled = false;

  /** `call` starts one call, and returns the result of each value. */
  constructor(bounds: BatchBounds, call: (key: string, values: readonly T[]) => readonly Promise<R>[]) {
    this.#bounds = bounds;
    this.#call = call;
  }

  add(key: string, item: BatchItem<T>): Promise<R> {
    const { promise, resolve } = Promise.withResolvers<R>();
    this.#waiting.push({ key, ...item, resolve });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#running < this.#bounds.calls && this.#waiting.length > 0) void this.#run(this.#next());
    });
  }

  async #run(batch: readonly Waiting<T, R>[]): Promise<void> {
    this.#running++;
    const results = this.#call(
      batch[0]?.key ?? '',
      batch.map(({ value }) => value),
    );
    for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Promise<R>);
    await Promise.allSettled(results);
    this.#running--;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** The first waiting value, and those of the same key that fit. */
  #next(): readonly Waiting<T, R>[] {
    const key = this.#waiting[0]?.key;
    const batch: Waiting<T, R>[] = [];
    const others: Waiting<T, R>[] = [];
    let bytes = 0;
    for (const one of this.#waiting) {
      const fits = batch.length < this.#bounds.items && (batch.length === 0 || bytes + one.bytes <= this.#bounds.bytes);
      if (one.key !== key || !fits) {
        others.push(one);
        continue;
      }
      bytes += one.bytes;
      batch.push(one);
    }
    this.#waiting.splice(0, this.#waiting.length, ...others);
    return batch;
  }
}
