import type { DataUsage } from './data-usage.js';
import { type Entry, EntryCursor } from './entry-cursor.js';
import { appendTo, type LmdbDatabase } from './environment.js';

const KEYS_PER_COMMIT = 500;
const BYTES_PER_COMMIT = 4 * 1024 * 1024;
/** Who writes faster than they can be followed for so long is left alone. */
const MAX_ROUNDS = 1000;

/**
 * Fills a new, dense data file from one that is written to meanwhile. The entries that were there at the beginning are
 * copied in slices, each as the store is at that moment; every key that was written since is read again, as often as it is
 * written again, so that what a slice missed or saw too early comes out right.
 */
export class DataCopy {
  readonly #source: LmdbDatabase;
  readonly #target: LmdbDatabase;
  readonly #signal: AbortSignal;
  readonly #cursor: EntryCursor;
  /** Keys that the target may have otherwise than the source, one character for each byte. */
  readonly #changed = new Set<string>();

  /** `signal`: the copy is not wanted any more; it ends by throwing the reason. Nothing is being committed now. */
  constructor(source: LmdbDatabase, target: LmdbDatabase, signal: AbortSignal) {
    this.#source = source;
    this.#target = target;
    this.#signal = signal;
    source.resetReadTxn();
    this.#cursor = new EntryCursor(source);
  }

  /** To be told of every commit since the construction, when its keys can be read. */
  note(keys: readonly Buffer[]): void {
    for (const key of keys) this.#changed.add(key.toString('latin1'));
  }

  /** Copies everything, and then most of what has changed meanwhile. Answers what was copied. */
  async copy(): Promise<DataUsage> {
    let usage: DataUsage = { bytes: 0, entries: 0 };
    for (;;) {
      const { entries, bytes } = this.#cursor.next();
      if (entries.length === 0) break;
      await this.#append(entries);
      usage = { bytes: usage.bytes + bytes, entries: usage.entries + entries.length };
    }
    // The rest is one commit, for which the writers will have to wait.
    for (let round = 0; this.#changed.size > KEYS_PER_COMMIT; round++) {
      if (round === MAX_ROUNDS) throw new RangeError('writers are faster than the copy');
      await this.#catchUp();
    }
    return usage;
  }

  /** Copies the rest. Nothing may be committed meanwhile. */
  async finish(): Promise<void> {
    while (this.#changed.size > 0) await this.#catchUp();
    this.#signal.throwIfAborted();
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    const target = this.#target;
    await this.#commit(() => entries.map(({ key, value }) => appendTo(target, key, value)));
  }

  /** Reads some keys again that have changed. */
  async #catchUp(): Promise<void> {
    const source = this.#source;
    const target = this.#target;
    await this.#commit(() => {
      const written: Promise<boolean>[] = [];
      let bytes = 0;
      for (const text of this.#changed) {
        this.#changed.delete(text);
        const key = Buffer.from(text, 'latin1');
        const value = source.getBinary(key);
        written.push(value === undefined ? target.remove(key) : target.put(key, value));
        bytes += value?.length ?? 0;
        if (written.length >= KEYS_PER_COMMIT || bytes >= BYTES_PER_COMMIT) break;
      }
      return written;
    });
  }

  /** The promises of single writes settle with the batch's; each must still have somebody who listens. */
  async #commit(write: () => readonly Promise<boolean>[]): Promise<void> {
    await this.#target.batch(() => {
      for (const written of write()) written.catch(() => {});
    });
    this.#signal.throwIfAborted();
  }
}
