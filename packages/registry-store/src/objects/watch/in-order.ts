interface Held<V> {
  readonly revision: number;
  readonly value: V | Promise<V>;
}

/**
 * Passes on values in order, including pending ones: a value that waits for a key only delays later ones. Without such
 * a value everything is passed on at once, in the caller's turn. Values of one revision are passed on together: a
 * reader that has seen one of them and continues after it must not miss the others.
 */
export class InOrder<V> {
  readonly #take: (value: V) => void;
  readonly #fail: (error: unknown) => void;
  #held: Held<V>[] = [];
  #draining: Promise<void> | undefined;
  #stopped = false;

  /** `fail` is called at most once, and nothing is passed on after it. */
  constructor(take: (value: V) => void, fail: (error: unknown) => void) {
    this.#take = take;
    this.#fail = fail;
  }

  /** The revision of the first pending value; undefined if there is none. */
  get heldFrom(): number | undefined {
    return this.#held[0]?.revision;
  }

  /** `make` may throw. `more`: another value of the same revision follows in the same turn. */
  push(revision: number, make: () => V | Promise<V>, more = false): void {
    if (this.#stopped) return;
    const value = this.#made(make, more);
    if (this.#stopped) return;
    if (!more && this.#held.length === 0 && !(value instanceof Promise)) {
      this.#handOn([value]);
      return;
    }
    // Its failure is reported in order.
    if (value instanceof Promise) value.catch(() => {});
    this.#held.push({ revision, value });
    if (more || this.#draining !== undefined) return;
    if (this.#held.some((held) => held.value instanceof Promise)) this.#draining = this.#drain();
    else this.#handOn(this.#held.splice(0).map((held) => held.value as V));
  }

  /** A value that cannot be made ends the sequence in its turn, possibly now. */
  #made(make: () => V | Promise<V>, more: boolean): V | Promise<V> {
    try {
      return make();
    } catch (error) {
      const failure = Promise.reject(error);
      failure.catch(() => {});
      if (!more && this.#held.length === 0) this.#end(error);
      return failure;
    }
  }

  /** Resolves when nothing is pending; undefined if nothing is. */
  drained(): Promise<void> | undefined {
    return this.#draining;
  }

  stop(): void {
    this.#stopped = true;
    this.#held = [];
  }

  #handOn(values: readonly V[]): void {
    try {
      for (const value of values) if (!this.#stopped) this.#take(value);
    } catch (error) {
      this.#end(error);
    }
  }

  async #drain(): Promise<void> {
    try {
      for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
        const { revision } = first;
        const together = this.#held.filter((held) => held.revision === revision);
        const values = await Promise.all(together.map((held) => held.value));
        // Of nothing, once it is stopped.
        this.#held.splice(0, together.length);
        this.#handOn(values);
      }
    } catch (error) {
      this.#end(error);
    } finally {
      this.#draining = undefined;
    }
  }

  #end(error: unknown): void {
    if (this.#stopped) return;
    this.stop();
    this.#fail(error);
  }
}
