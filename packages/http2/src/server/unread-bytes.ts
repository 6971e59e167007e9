/** Bytes of answers that may wait for all clients of a listener together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Clients that do not read are sent away until no more than that part of them waits, so that the next byte finds room. */
const RELIEVED = 0.75;
/** Milliseconds: a client that has taken nothing for so long goes before those who read. */
const PAUSE_MS = 1_000;

/** A client that answers wait for. */
export interface SlowReader {
  /** Bytes that are kept for it. */
  readonly unreadBytes: number;
  /**
   * Monotonic milliseconds since when it has taken nothing of what waits, as far as the calls show; undefined: it reads, or nothing
   * waits. `now` in monotonic milliseconds.
   */
  stuckSince(now: number): number | undefined;
  /** Breaks its connection off. */
  cutOff(): void;
}

/**
 * Counts what waits for clients to read it. When it is too much, those who do not read lose their connections, and only when that is
 * not enough those for whom the most has been kept the longest: clients that ask and do not listen must not fill the memory.
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

  /** So many bytes more wait for a reader that has entered; below 0: fewer. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#relieve);
  }

  /** To be called every few seconds: what a reader takes between two calls shows. */
  look(now: number): void {
    for (const reader of this.#readers) reader.stuckSince(now);
  }

  readonly #relieve = (): void => {
    this.#isScheduled = false;
    const now = performance.now();
    const readers = [...this.#readers].map((reader) => ({ reader, ...judge(reader, now) }));
    readers.sort((a, b) => Number(b.isStuck) - Number(a.isStuck) || b.cost - a.cost);
    for (const { reader, isStuck, bytes } of readers) {
      // Of those who read only as many go as must.
      if (this.#bytes <= (isStuck ? this.#limit * RELIEVED : this.#limit)) return;
      if (bytes > 0) reader.cutOff();
    }
  };
}

/** What is kept for a reader, whether that has stopped to read, and what it costs the others. */
function judge(reader: SlowReader, now: number): { isStuck: boolean; bytes: number; cost: number } {
  const { unreadBytes: bytes } = reader;
  const stuckSince = reader.stuckSince(now);
  const pause = stuckSince === undefined ? 0 : Math.max(0, now - stuckSince);
  if (pause >= PAUSE_MS) return { isStuck: true, bytes, cost: bytes };
  // Nobody is known to have stopped after so short a time, but the less likely to read go first.
  return { isStuck: false, bytes, cost: bytes * (1 + pause) };
}
