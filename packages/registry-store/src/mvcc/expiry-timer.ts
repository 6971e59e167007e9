import type { Clock } from '@apiserver/apimachinery/clock';
import type { CommitRequest, CommitResult } from '../key-value-store.js';
import type { MvccTables } from './tables.js';

interface ExpiryTimerOptions {
  readonly tables: MvccTables;
  readonly clock: Clock;
  commit(request: CommitRequest): Promise<CommitResult>;
}

const BATCH = 256;
/** setTimeout cannot wait longer than about 24 days. */
const MAX_WAIT_MS = 2 ** 31 - 1;
const RETRY_MS = 1000;

/** Deletes keys whose time to live is over; each deletion is a commit of its own, with an event. */
export class ExpiryTimer {
  readonly #options: ExpiryTimerOptions;
  #armedFor = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(options: ExpiryTimerOptions) {
    this.#options = options;
    this.#armForEarliest();
  }

  /** Makes sure the timer fires at `expiresAt` at the latest. */
  arm(expiresAt: number): void {
    if (expiresAt >= this.#armedFor || this.#stopped) return;
    this.#cancel();
    this.#armedFor = expiresAt;
    const wait = Math.min(Math.max(0, expiresAt - this.#options.clock.now()), MAX_WAIT_MS);
    this.#cancel = this.#options.clock.schedule(() => void this.#fire(), wait);
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
    const { tables, clock, commit } = this.#options;
    const now = clock.now();
    const due = tables.scanExpiries(BATCH).filter((record) => record.expiresAt <= now);
    const deletions = due.map(({ key, expiresAt }) => {
      const record = tables.readIndex(key);
      if (record?.expiresAt !== expiresAt || record.damaged === true) return undefined;
      return commit({ type: 'delete', key, expectedRevision: record.revision });
    });
    const results = await Promise.allSettled(deletions);
    if (this.#stopped) return;
    this.#armedFor = Number.POSITIVE_INFINITY;
    // A full disk must not turn into a busy loop, nor a time to live whose key is damaged; they are tried again.
    const isLeft = deletions.includes(undefined) || results.some((result) => result.status === 'rejected');
    if (isLeft) this.arm(clock.now() + RETRY_MS);
    else this.#armForEarliest();
  }
}
