/** Bytes of responses that may wait for all clients of a listener together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Clients that do not read are cut off until at most this part of the limit waits. */
const RELIEVED = 0.75;
/** Time without progress after which a client is cut off before those that read, in milliseconds. */
const PAUSE_MS = 1_000;

/** A client with unread responses. */
export interface SlowReader {
  /** Bytes that wait for it. */
  readonly unreadBytes: number;
  /**
   * Monotonic milliseconds since when it takes nothing, as far as the calls show; undefined: it reads, or nothing
   * waits. `now` is monotonic.
   */
  stuckSince(now: number): number | undefined;
  /** Cuts off its connection. */
  cutOff(): void;
}

/**
 * Counts the bytes that wait for clients. Above the limit, clients that do not read lose their connections. If that is
 * not enough, those follow for whom the most has waited the longest. Clients that do not read cannot fill the memory.
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

  /** Adds bytes that wait for an added reader; negative: fewer wait. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#relieve);
  }

  /** Notes the progress of all readers. To be called every few seconds. */
  look(now: number): void {
    for (const reader of this.#readers) reader.stuckSince(now);
  }

  readonly #relieve = (): void => {
    this.#isScheduled = false;
    const now = performance.now();
    const readers = [...this.#readers].map((reader) => ({ reader, ...judge(reader, now) }));
    readers.sort((a, b) => Number(b.isStuck) - Number(a.isStuck) || b.cost - a.cost);
    for (const { reader, isStuck, bytes } of readers) {
      // Of the clients that read, only as many as needed are cut off.
      if (this.#bytes <= (isStuck ? this.#limit * RELIEVED : this.#limit)) return;
      if (bytes > 0) reader.cutOff();
    }
  };
}

/** The bytes that wait for a reader, whether it is stuck, and its cost to the others. */
function judge(reader: SlowReader, now: number): { isStuck: boolean; bytes: number; cost: number } {
  const { unreadBytes: bytes } = reader;
  const stuckSince = reader.stuckSince(now);
  const pause = stuckSince === undefined ? 0 : Math.max(0, now - stuckSince);
  if (pause >= PAUSE_MS) return { isStuck: true, bytes, cost: bytes };
  // After so short a time no reader is known to be stuck, but the less active ones go first.
  return { isStuck: false, bytes, cost: bytes * (1 + pause) };
}
