import type { KeyValueStore } from '@apiserver/registry-store';
import type { Requests } from '@apiserver/test-powers';

/** The store and the requests of a plane. */
export interface ChangeSources {
  readonly store: Pick<KeyValueStore, 'watch'>;
  readonly requests: Pick<Requests, 'subscribe' | 'lastNumber'>;
}

/** Pauses between a change and checks after it, for work that the change has started elsewhere. In milliseconds. */
const pauses: readonly number[] = [5, 20, 100, 400, 1_000];
/** At least this long from one check to the next, in milliseconds, whatever happens. */
const MIN_PAUSE_MS = 5;

/** Every key of a store. */
const everything = { start: '\0', end: '\u{10ffff}' };

/**
 * Tells when something in a plane has changed: a write to its store, or a response. It follows the plane until it is
 * disposed.
 */
export class PlaneChanges implements Disposable {
  readonly #ends: (() => void)[] = [];
  readonly #requests: ChangeSources['requests'];
  #seen = 0;
  #pause = 0;
  #isChanged = false;
  #wake: (() => void) | undefined = undefined;

  constructor({ store, requests }: ChangeSources) {
    this.#requests = requests;
    const change = () => this.#change();
    const watch = store.watch({ ...everything, previous: false }, { event: change, restored: change, end: change });
    this.#ends.push(() => watch.close());
    this.#ends.push(requests.subscribe(({ number }) => number <= this.#seen && change()));
  }

  /**
   * Call it before a check. Changes count from now on, and requests that began before: others may be the check's own.
   */
  beginCheck(): void {
    this.#isChanged = false;
    this.#seen = this.#requests.lastNumber;
  }

  /** Call it after a check. Resolves with the next change, at the latest after a pause or `left` milliseconds. */
  async next(left: number): Promise<void> {
    this.#seen = Number.POSITIVE_INFINITY;
    await pause(Math.min(MIN_PAUSE_MS, left));
    if (this.#isChanged) return;
    const waiting = Promise.withResolvers<void>();
    this.#wake = waiting.resolve;
    const timer = setTimeout(waiting.resolve, Math.min(pauses[this.#pause] ?? longest, left));
    await waiting.promise;
    clearTimeout(timer);
    this.#wake = undefined;
    if (!this.#isChanged) this.#pause++;
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end();
  }

  #change(): void {
    this.#isChanged = true;
    this.#pause = 0;
    this.#wake?.();
  }
}

const longest = pauses.at(-1) ?? MIN_PAUSE_MS;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
