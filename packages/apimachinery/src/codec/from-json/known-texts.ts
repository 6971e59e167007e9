const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MAX_TEXTS = 8;
/** Shorter ones are read as fast, longer ones are rare. */
const [MIN_LENGTH, MAX_LENGTH] = [16, 4096];

/**
 * The last few JSON objects that were found to be as a writer of JSON leaves them. Objects of a kind have few different
 * managed fields: equal ones are compared in native code, and need no tokens.
 */
export class KnownTexts {
  readonly #texts: Buffer[] = [];
  /** The text after the one that was found last: managers of one object follow one another in the next one, too. */
  #next = 0;
  #oldest = 0;

  /** The place after a known text that begins at `start`, or -1. The caller reads on there. */
  endAt(memory: Buffer, start: number): number {
    const texts = this.#texts;
    const { length } = texts;
    for (let left = length, i = this.#next; left > 0; left--, i++) {
      if (i >= length) i = 0;
      const text = texts[i];
      if (text === undefined) break;
      const end = start + text.length;
      // Most others differ in the place of their last byte.
      if (memory[end - 1] !== CLOSE_BRACE || end > memory.length) continue;
      if (memory.compare(text, 0, text.length, start, end) !== 0) continue;
      this.#next = i + 1;
      return end;
    }
    return -1;
  }

  /** Remembers the text of an object in place of the oldest one. It must be one value. */
  add(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length < MIN_LENGTH || length > MAX_LENGTH || source[start] !== OPEN_BRACE) return;
    this.#texts[this.#oldest] = Buffer.from(source.subarray(start, end));
    this.#oldest = (this.#oldest + 1) % MAX_TEXTS;
  }
}
