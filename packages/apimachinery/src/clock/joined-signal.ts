/**
 * A signal that aborts with the first of some others. The others hold it until it aborts or is disposed: dispose it
 * before they outlive its use. Node holds a result of AbortSignal.any in a set of the process, while it has listeners.
 * Tables that such a set has outgrown keep what they listed until V8 collects the whole heap, such as an ended server.
 */
export class JoinedSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #abort = (): void => {
    const aborted = this.#sources.find((source) => source.aborted);
    this[Symbol.dispose]();
    this.#controller.abort(aborted?.reason);
  };

  constructor(...sources: readonly AbortSignal[]) {
    this.#sources = sources;
    if (sources.some((source) => source.aborted)) this.#abort();
    else for (const source of sources) source.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The signal aborts no more. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#abort);
  }
}
