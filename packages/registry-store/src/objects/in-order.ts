/**
 * Hands values on in the order they came in, also those that are still on their way: what has to wait for a key holds up
 * only what comes behind it. Without such a value everything is handed on at once, in the caller's turn.
 */
export class InOrder<V> {
  readonly #take: (value: V) => void;
  readonly #fail: (error: unknown) => void;
  readonly #held: { readonly revision: number; readonly value: V | Promise<V> }[] = [];
  #draining: Promise<void> | undefined;
  #stopped = false;

  /** `fail` is called at most once, and nothing is handed on after it. */
  constructor(take: (value: V) => void, fail: (error: unknown) => void) {
    this.#take = take;
    this.#fail = fail;
  }

  /** The revision of the first value that waits; undefined when none does. */
  get heldFrom(): number | undefined {
    return this.#held[0]?.revision;
  }

  /** `make` may throw. */
  push(revision: number, make: () => V | Promise<V>): void {
    if (this.#stopped) return;
    try {
      const value = make();
      if (this.#draining === undefined && !(value instanceof Promise)) this.#take(value);
      else this.#hold(revision, value);
    } catch (error) {
      if (this.#draining === undefined) this.#end(error);
      else this.#hold(revision, Promise.reject(error));
    }
  }

  /** Resolves when nothing waits; undefined when that is so already. */
  drained(): Promise<void> | undefined {
    return this.#draining;
  }

  stop(): void {
    this.#stopped = true;
    this.#held.length = 0;
  }

  #hold(revision: number, value: V | Promise<V>): void {
    // Its failure is told when its turn comes.
    if (value instanceof Promise) value.catch(() => {});
    this.#held.push({ revision, value });
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    try {
      for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
        const value = await next.value;
        if (this.#stopped) return;
        this.#held.shift();
        this.#take(value);
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
