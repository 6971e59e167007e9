/**
 * An event that happens at most once, with a value. It can be awaited before it happens.
 * Upstream: lifecycleSignal of k8s.io/apiserver/pkg/server/lifecycle_signals.go
 */
export class LifecycleSignal<T = void> {
  readonly #settled = Promise.withResolvers<T>();
  #given: { readonly value: T } | undefined = undefined;

  /** Resolves with the signal; never rejects. */
  get signaled(): Promise<T> {
    return this.#settled.promise;
  }

  get hasBeenSignaled(): boolean {
    return this.#given !== undefined;
  }

  /** Undefined before the signal. */
  get value(): T | undefined {
    return this.#given?.value;
  }

  /** Only the first call counts. */
  signal(value: T): void {
    if (this.#given !== undefined) return;
    this.#given = { value };
    this.#settled.resolve(value);
  }
}
