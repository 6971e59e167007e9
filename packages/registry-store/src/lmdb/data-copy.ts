import type { DataUsage } from './data-usage.js';
import { type Entry, EntryCursor } from './entry-cursor.js';
import { appendTo, type LmdbDatabase } from './environment.js';

/** A write on the store's B-tree; undefined: a removal. */
interface Change {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

const CHANGES_PER_COMMIT = 500;
/** The writers are made to wait for the rest when it is as short as this. */
const SHORT = 50;
/** Who writes faster than they can be followed for so long is left alone. */
const MAX_ROUNDS = 1000;

/**
 * Fills a new, dense data file from one that is written to meanwhile. The entries are copied in slices, each as the store
 * is at that moment; all changes since the beginning follow in order, so that what a slice missed or saw too early comes
 * out right.
 */
export class DataCopy {
  readonly #source: LmdbDatabase;
  readonly #target: LmdbDatabase;
  readonly #signal: AbortSignal;
  #changes: Change[] = [];

  /** `signal`: the copy is not wanted any more; it ends by throwing the reason. */
  constructor(source: LmdbDatabase, target: LmdbDatabase, signal: AbortSignal) {
    this.#source = source;
    this.#target = target;
    this.#signal = signal;
  }

  /** To be told of every change of the source, from the construction on. */
  note(key: Buffer, value: Buffer | undefined): void {
    this.#changes.push({ key, value });
  }

  /** Copies everything, and then most of what has changed meanwhile. Answers what was copied. */
  async copy(): Promise<DataUsage> {
    const cursor = new EntryCursor(this.#source);
    let usage: DataUsage = { bytes: 0, entries: 0 };
    for (;;) {
      const { entries, bytes } = cursor.next();
      if (entries.length === 0) break;
      await this.#append(entries);
      usage = { bytes: usage.bytes + bytes, entries: usage.entries + entries.length };
    }
    for (let round = 0; this.#changes.length > SHORT; round++) {
      if (round === MAX_ROUNDS) throw new RangeError('writers are faster than the copy');
      await this.#apply(this.#changes.splice(0, CHANGES_PER_COMMIT));
    }
    return usage;
  }

  /** Writes the rest. Nothing may change meanwhile. */
  async finish(): Promise<void> {
    if (this.#changes.length > 0) await this.#apply(this.#changes.splice(0));
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    const target = this.#target;
    await this.#commit(() => entries.map(({ key, value }) => appendTo(target, key, value)));
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const target = this.#target;
    await this.#commit(() =>
      changes.map(({ key, value }) => (value === undefined ? target.remove(key) : target.put(key, value))),
    );
  }

  /** The promises of single writes settle with the batch's; each must still have somebody who listens. */
  async #commit(write: () => readonly Promise<boolean>[]): Promise<void> {
    await this.#target.batch(() => {
      for (const written of write()) written.catch(() => {});
    });
    this.#signal.throwIfAborted();
  }
}
