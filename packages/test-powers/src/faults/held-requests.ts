import type { Clock } from '@apiserver/apimachinery/clock';

/** Requests that wait for the delay of a rule. */
export class HeldRequests {
  readonly #releases = new Set<() => void>();

  /** Resolves after the delay, when `signal` aborts, or with `release`. */
  hold(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const release = () => {
        cancel();
        signal.removeEventListener('abort', release);
        this.#releases.delete(release);
        resolve();
      };
      const cancel = clock.schedule(release, milliseconds);
      signal.addEventListener('abort', release, { once: true });
      this.#releases.add(release);
    });
  }

  release(): void {
    for (const release of this.#releases) release();
  }
}
