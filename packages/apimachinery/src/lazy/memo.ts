/** Results by the functions that make them. */
interface Results {
  get<T>(maker: Maker<T>): Kept<T> | undefined;
  set<T>(maker: Maker<T>, kept: Kept<T>): unknown;
}

interface Kept<T> {
  readonly result: T;
}

/** Identifies a result. */
type Maker<T> = (...parameters: never) => T;

/**
 * Results that belong to one owner and are made once. A WeakMap of owners would do the same. But an old WeakMap keeps
 * young results, and all that they refer to, until V8 collects the whole heap.
 */
export class Memo {
  #results: Results | undefined = undefined;

  /** The result for `maker`, which `make` makes at the first call. A call that throws does not count. */
  of<T>(maker: Maker<T>, make: () => T): T {
    this.#results ??= new Map();
    const known = this.#results.get(maker);
    if (known !== undefined) return known.result;
    const result = make();
    this.#results.set(maker, { result });
    return result;
  }
}
