import type { DataUsage } from './data-usage.js';
import { type Entry, EntryCursor } from './entry-cursor.js';
import { appendTo, type LmdbDatabase } from './environment.js';
import { rootCause } from './lmdb-errors.js';

const KEYS_PER_COMMIT = 500;
const BYTES_PER_COMMIT = 4 * 1024 * 1024;
/** Number of rounds after which the copy gives up on a faster writer. */
const MAX_ROUNDS = 1000;

/**
 * Fills a new, dense data file from one with concurrent writes. Existing entries are copied in slices, each from the
 * current state. Every key that was written since is read again, each time, which corrects whatever a slice missed or
 * saw too early.
 */
export class DataCopy {
  readonly #source: LmdbDatabase;
  readonly #target: LmdbDatabase;
  readonly #signal: AbortSignal;
  readonly #cursor: EntryCursor;
  /** Keys whose value in the target may be stale, one character for each byte. */
  readonly #changed = new Set<string>();

  /** `signal` cancels the copy, which then throws the reason. No commit may be pending. */
  constructor(source: LmdbDatabase, target: LmdbDatabase, signal: AbortSignal) {
    this.#source = source;
    this.#target = target;
    this.#signal = signal;
    source.resetReadTxn();
    this.#cursor = new EntryCursor(source);
  }

  /** Call it for every commit after the construction, once its keys are readable. */
  note(keys: readonly Buffer[]): void {
    for (const key of keys) this.#changed.add(key.toString('latin1'));
  }

  /** Copies everything, and then most later changes. Returns the size of what was copied. */
  async copy(): Promise<DataUsage> {
    let usage: DataUsage = { bytes: 0, entries: 0 };
    for (;;) {
      const { entries, bytes } = this.#cursor.next();
      if (entries.length === 0) break;
      await this.#append(entries);
      usage = { bytes: usage.bytes + bytes, entries: usage.entries + entries.length };
    }
    // The rest is one commit, for which writers wait.
    for (let round = 0; this.#changed.size > KEYS_PER_COMMIT; round++) {
      if (round === MAX_ROUNDS) throw new RangeError('writers are faster than the copy');
      await this.#catchUp();
    }
    return usage;
  }

  /** Copies the rest. No commit may happen during it. */
  async finish(): Promise<void> {
    while (this.#changed.size > 0) await this.#catchUp();
    this.#signal.throwIfAborted();
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    const target = this.#target;
    await this.#commit(() => entries.map(({ key, value }) => appendTo(target, key, value)));
  }

  /** Reads some of the changed keys again. */
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

  /** The promises of single writes settle with the batch's; each still needs a handler. */
  async #commit(write: () => readonly Promise<boolean>[]): Promise<void> {
    try {
      await this.#target.batch(() => {
        for (const written of write()) written.catch(() => {});
      });
    } catch (error) {
      throw await rootCause(error);
    }
    this.#signal.throwIfAborted();
  }
}
