import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitQueue } from './commit-queue.js';
import type { ExpiryClock } from './expiry-clock.js';
import type { TableWriter } from './table-writer.js';
import type { ExpiryRecord, IndexRecord, MvccTables } from './tables.js';

interface ExpiryTimerOptions {
  readonly tables: MvccTables;
  readonly clock: ExpiryClock;
  readonly queue: Pick<CommitQueue, 'commit' | 'exclusive'>;
}

const BATCH = 256;
const RETRY_MS = 1000;
/** Pause between two looks at whether the machine's clock was set. */
const LOOK_MS = 60_000;
/** After all keys. */
const LAST_KEY = '\u{10ffff}';

/** The change of all expiries after the machine's clock was set. */
interface Move {
  readonly milliseconds: number;
  /** Up to this revision, expiries are of an earlier process, whose clock may have been right. */
  readonly inheritedRevision: number;
  /** Later expiries already have the new time. */
  readonly lastRevision: number;
  /** The first key that is not moved yet. */
  start: string | undefined;
}

/** Deletes expired keys; each deletion is a separate commit with an event. */
export class ExpiryTimer {
  readonly #options: ExpiryTimerOptions;
  #armedFor = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #stopped = false;
  /** The newest revision of an earlier process. */
  #inheritedRevision: number;
  #move: Move | undefined;
  #isMoving = false;

  constructor(options: ExpiryTimerOptions) {
    this.#options = options;
    this.#inheritedRevision = options.tables.readMeta()?.revision ?? 0;
    this.#armForEarliest();
  }

  /** Ensures that the timer fires at `expiresAt` at the latest. */
  arm(expiresAt: number): void {
    if (expiresAt >= this.#armedFor || this.#stopped) return;
    this.#cancel();
    this.#armedFor = expiresAt;
    const { clock } = this.#options;
    const left = Math.max(0, expiresAt - clock.now());
    const wait = clock.canBeSet ? Math.min(left, LOOK_MS) : left;
    this.#cancel = clock.schedule(() => void this.#fire().catch(() => this.#retry()), wait);
  }

  /** Follows tables whose expiries have been replaced, and are of the machine's time. */
  rearm(): void {
    this.#options.clock.follow();
    this.#inheritedRevision = 0;
    this.#move = undefined;
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
    // The timer is armed again when all are moved.
    if (this.#isMoving) return;
    if (this.#move !== undefined || this.#options.clock.wasSet) await this.#moveAll();
    if (this.#stopped) return;
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
    const restore = (writer: TableWriter, key: string, { expiresAt }: IndexRecord) =>
      writer.setExpiry({ key, expiresAt }, true);
    for (let start: string | undefined = ''; start !== undefined && !this.#stopped; ) {
      start = await this.#changeFrom(start, restore);
    }
  }

  /**
   * Moves the expiries of this process by as much as the machine's clock was set: they are kept beyond the process, and
   * the next one has nothing but that clock. After a failure the rest is moved by the next attempt.
   */
  async #moveAll(): Promise<void> {
    this.#isMoving = true;
    try {
      if (this.#move === undefined) await this.#beginMove();
      const move = this.#move;
      // Undefined if other tables came in between.
      if (move === undefined) return;
      const change = (writer: TableWriter, key: string, record: IndexRecord) => {
        const isOwn = record.revision > move.inheritedRevision && record.revision <= move.lastRevision;
        // Other tables may have replaced those that are moved.
        if (!isOwn || this.#move !== move) return;
        writer.moveExpiry(key, record, Math.max(1, record.expiresAt + move.milliseconds));
      };
      while (move.start !== undefined && this.#move === move && !this.#stopped) {
        move.start = await this.#changeFrom(move.start, change);
      }
      if (move.start === undefined) this.#move = undefined;
    } finally {
      this.#isMoving = false;
    }
  }

  async #beginMove(): Promise<void> {
    const { clock, queue } = this.#options;
    await queue.exclusive((_, meta) => {
      const [inheritedRevision, lastRevision] = [this.#inheritedRevision, meta.revision];
      this.#move = { milliseconds: clock.follow(), inheritedRevision, lastRevision, start: '' };
      return meta;
    });
  }

  /** Changes the keys with a time to live among the next ones from `start` on; returns the key that comes after. */
  async #changeFrom(
    start: string,
    change: (writer: TableWriter, key: string, record: IndexRecord) => void,
  ): Promise<string | undefined> {
    const { tables, queue } = this.#options;
    const records = tables.scanIndex(start, LAST_KEY, BATCH);
    const mortal = records.filter(({ expiresAt, damaged }) => expiresAt !== 0 && damaged !== true);
    if (mortal.length > 0) {
      await queue.exclusive((writer, meta) => {
        for (const { key, expiresAt } of mortal) {
          const record = writer.readIndex(key);
          // It may have been rewritten since.
          if (record?.expiresAt === expiresAt) change(writer, key, record);
        }
        return { ...meta };
      });
    } else await nextTurn();
    return records.length < BATCH ? undefined : `${records.at(-1)?.key}\0`;
  }
}
