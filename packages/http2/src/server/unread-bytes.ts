/** Bytes of answers that may wait for all clients of a listener together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Clients are sent away until no more than that part of them waits, so that the next byte does not send another one. */
const RELIEVED = 0.75;
/** Milliseconds: a client that has taken nothing for so long goes before those who read. */
const PAUSE_MS = 1_000;

/** A client that answers wait for. */
export interface SlowReader {
  /** Bytes that are kept for it. */
  readonly unreadBytes: number;
  /** Monotonic milliseconds since when it has taken nothing of what waits; undefined: it reads, or nothing waits. */
  readonly stuckSince: number | undefined;
  /** Breaks its connection off. */
  cutOff(): void;
}

/**
 * Counts what waits for clients to read it. When it is too much, those who do not read lose their connections, and then those for
 * whom the most is kept: clients that ask and do not listen must not fill the memory.
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

  enter(reader: SlowReader): void {
    this.#readers.add(reader);
  }

  leave(reader: SlowReader): void {
    this.#readers.delete(reader);
  }

  /** So many bytes more wait for a reader that has entered; below 0: fewer. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#relieve);
  }

  readonly #relieve = (): void => {
    this.#isScheduled = false;
    const before = performance.now() - PAUSE_MS;
    const isStuck = ({ stuckSince }: SlowReader) => stuckSince !== undefined && stuckSince <= before;
    const readers = [...this.#readers].map((reader) => ({ reader, stuck: isStuck(reader), bytes: reader.unreadBytes }));
    readers.sort((a, b) => Number(b.stuck) - Number(a.stuck) || b.bytes - a.bytes);
    for (const { reader, bytes } of readers) {
      if (this.#bytes <= this.#limit * RELIEVED) return;
      if (bytes > 0) reader.cutOff();
    }
  };
}
