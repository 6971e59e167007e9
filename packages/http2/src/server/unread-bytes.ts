/** Bytes of responses that may wait for all clients of a listener together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Fraction of the limit down to which clients that do not read are disconnected. */
const RELIEVED = 0.75;
/** Time without progress after which a client is disconnected before those that read, in milliseconds. */
const PAUSE_MS = 1_000;

/** A client with unread responses. */
export interface SlowReader {
  /** Bytes queued for it. */
  readonly unreadBytes: number;
  /**
   * Monotonic milliseconds since when it makes no progress, as far as the calls show; undefined: it reads, or nothing
   * is queued. `now` is monotonic.
   */
  stuckSince(now: number): number | undefined;
  /** Disconnects it. */
  cutOff(): void;
}

/**
 * Counts the bytes queued for clients. Above the limit, clients that do not read are disconnected. If that is not
 * enough, those with the most bytes for the longest time follow. Clients that do not read thus cannot exhaust the
 * memory.
 */
export class UnreadBytes {
  readonly #limit: number;
  readonly #readers = new Set<SlowReader>();
  #bytes = 0;
  #isScheduled = false;

  constructor(limit = MAX_BYTES) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  addReader(reader: SlowReader): void {
    this.#readers.add(reader);
  }

  removeReader(reader: SlowReader): void {
    this.#readers.delete(reader);
  }

  /** Adds the change in a reader's queued bytes. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#relieve);
  }

  /** Records the progress of all readers. Call it every few seconds. */
  look(now: number): void {
    for (const reader of this.#readers) reader.stuckSince(now);
  }

  readonly #relieve = (): void => {
    this.#isScheduled = false;
    const now = performance.now();
    const readers = [...this.#readers].map((reader) => ({ reader, ...judge(reader, now) }));
    readers.sort((a, b) => Number(b.isStuck) - Number(a.isStuck) || b.cost - a.cost);
    for (const { reader, isStuck, bytes } of readers) {
      // Of the clients that read, only as many as needed are disconnected.
      if (this.#bytes <= (isStuck ? this.#limit * RELIEVED : this.#limit)) return;
      if (bytes > 0) reader.cutOff();
    }
  };
}

/** The bytes queued for a reader, whether it is stuck, and its cost to the others. */
function judge(reader: SlowReader, now: number): { isStuck: boolean; bytes: number; cost: number } {
  const { unreadBytes: bytes } = reader;
  const stuckSince = reader.stuckSince(now);
  const pause = stuckSince === undefined ? 0 : Math.max(0, now - stuckSince);
  if (pause >= PAUSE_MS) return { isStuck: true, bytes, cost: bytes };
  // After so short a time, no reader is known to be stuck, but the less active ones go first.
  return { isStuck: false, bytes, cost: bytes * (1 + pause) };
}
