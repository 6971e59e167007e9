import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { CommitQueue } from './commit-queue.js';
import type { ExpiryRecord, MvccTables } from './tables.js';

interface ExpiryTimerOptions {
  readonly tables: MvccTables;
  readonly clock: Clock;
  readonly queue: Pick<CommitQueue, 'commit' | 'exclusive'>;
}

const BATCH = 256;
const RETRY_MS = 1000;
/** After all keys. */
const LAST_KEY = '\u{10ffff}';

/** Deletes expired keys; each deletion is a separate commit with an event. */
export class ExpiryTimer {
  readonly #options: ExpiryTimerOptions;
  #armedFor = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(options: ExpiryTimerOptions) {
    this.#options = options;
    this.#armForEarliest();
  }

  /** Ensures that the timer fires at `expiresAt` at the latest. */
  arm(expiresAt: number): void {
    if (expiresAt >= this.#armedFor || this.#stopped) return;
    this.#cancel();
    this.#armedFor = expiresAt;
    const wait = Math.max(0, expiresAt - this.#options.clock.now());
    this.#cancel = this.#options.clock.schedule(() => void this.#fire().catch(() => this.#retry()), wait);
  }

  /** Follows tables whose expiries have been replaced. */
  rearm(): void {
    this.#cancel();
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#armForEarliest();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #armForEarliest(): void {
    const [earliest] = this.#options.tables.scanExpiries(1);
    if (earliest !== undefined) this.arm(earliest.expiresAt);
  }

  async #fire(): Promise<void> {
    const now = this.#options.clock.now();
    const due = this.#options.tables.scanExpiries(BATCH).filter((record) => record.expiresAt <= now);
    const stale = due.filter((record) => !this.#isCurrent(record));
    const deletions = due.filter((record) => !stale.includes(record)).map(({ key }) => this.#delete(key));
    const results = await Promise.allSettled([...deletions, this.#remove(stale)]);
    if (this.#stopped) return;
    this.#armedFor = Number.POSITIVE_INFINITY;
    // Neither a full disk nor a record that cannot be removed may cause a busy loop.
    const isLeft = stale.length > 0 || results.some((result) => result.status === 'rejected');
    if (isLeft) this.arm(this.#options.clock.now() + RETRY_MS);
    else this.#armForEarliest();
  }

  /** After a failed read, which damage of the disk causes. Requests and health checks report it. */
  #retry(): void {
    if (this.#stopped) return;
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.arm(this.#options.clock.now() + RETRY_MS);
  }

  #isCurrent({ key, expiresAt }: ExpiryRecord): boolean {
    const record = this.#options.tables.readIndex(key);
    return record?.expiresAt === expiresAt && record.damaged !== true;
  }

  async #delete(key: string): Promise<void> {
    const record = this.#options.tables.readIndex(key);
    if (record === undefined) return;
    await this.#options.queue.commit({ type: 'delete', key, expectedRevision: record.revision });
  }

  /**
   * Removes times to live that do not match their keys. Each is the remainder of another one that was damaged on disk.
   * Therefore the times to live of all keys are rewritten from their index records. Nothing that may itself be damaged
   * is deleted.
   */
  async #remove(stale: readonly ExpiryRecord[]): Promise<void> {
    if (stale.length === 0) return;
    await this.#options.queue.exclusive((writer, meta) => {
      for (const record of stale) writer.setExpiry(record, false);
      return { ...meta };
    });
    const { tables, queue } = this.#options;
    let start: string | undefined = '';
    while (start !== undefined && !this.#stopped) {
      const records: ReturnType<MvccTables['scanIndex']> = tables.scanIndex(start, LAST_KEY, BATCH);
      const mortal = records.filter(({ expiresAt, damaged }) => expiresAt !== 0 && damaged !== true);
      if (mortal.length > 0) {
        await queue.exclusive((writer, meta) => {
          for (const { key, expiresAt } of mortal) {
            // It may have been rewritten since.
            if (writer.readIndex(key)?.expiresAt === expiresAt) writer.setExpiry({ key, expiresAt }, true);
          }
          return { ...meta };
        });
      } else await nextTurn();
      start = records.length < BATCH ? undefined : `${records.at(-1)?.key}\0`;
    }
  }
}
