import { setTimeout as sleep } from 'node:timers/promises';

const firstDelayMs = 20;
const longestDelayMs = 30_000;

/** Handles keys one after the other, and each one once, however often it was added. A key that fails is tried again. */
export class WorkQueue implements AsyncDisposable {
  readonly #handle: (key: string) => Promise<void>;
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined = undefined;

  constructor(handle: (key: string) => Promise<void>) {
    this.#handle = handle;
  }

  add(key: string): void {
    if (this.#end.signal.aborted) return;
    this.#waiting.add(key);
    this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const key of this.#waiting) {
      if (this.#end.signal.aborted) return;
      this.#waiting.delete(key);
      await this.#handle(key).then(
        () => this.#failures.delete(key),
        () => void this.#addLater(key),
      );
    }
    this.#running = undefined;
  }

  async #addLater(key: string): Promise<void> {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delay = Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
    await sleep(delay, undefined, { signal: this.#end.signal }).catch(() => undefined);
    this.add(key);
  }
}
