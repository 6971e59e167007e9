const FIRST_LENGTH = 16 * 1024;
/** Memory above is not kept for the next message. */
const MAX_KEPT = 256 * 1024;
/** Fewer bytes are copied one by one: a call costs more. */
const FEW = 48;
/** The first number that a varint does not hold in one byte. */
const MORE = 0x80;
/** Bytes of a negative varint: all 64 bits, seven in each byte. */
const NEGATIVE_LENGTH = 10;

/**
 * Writes bytes from the last one to the first. The length of a content is therefore known when the head before it is
 * written. The memory is used again.
 */
export class BackWriter {
  #memory: Buffer = Buffer.allocUnsafeSlow(FIRST_LENGTH);
  #at = FIRST_LENGTH;

  /** Number of bytes that are written. */
  get length(): number {
    return this.#memory.length - this.#at;
  }

  /** Forgets everything. */
  clear(): void {
    if (this.#memory.length > MAX_KEPT) this.#memory = Buffer.allocUnsafeSlow(FIRST_LENGTH);
    this.#at = this.#memory.length;
  }

  /** A copy of the bytes, in Buffer's pool: memory of its own costs a small message more than its encoding. */
  copy(): Buffer {
    const bytes = Buffer.allocUnsafe(this.length);
    this.#memory.copy(bytes, 0, this.#at);
    return bytes;
  }

  byte(value: number): void {
    if (this.#at === 0) this.#grow(1);
    this.#memory[--this.#at] = value;
  }

  /** Bytes of a source from one place to another. */
  bytes(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (this.#at < length) this.#grow(length);
    const memory = this.#memory;
    this.#at -= length;
    let to = this.#at;
    if (length > FEW) memory.set(source.subarray(start, end), to);
    else for (let from = start; from < end; from++) memory[to++] = source[from] ?? 0;
  }

  all(source: Uint8Array): void {
    this.bytes(source, 0, source.length);
  }

  /** A safe integer of protobuf in as few bytes as it needs. */
  varint(value: number): void {
    if (value < 0) this.#negativeVarint(value);
    else if (value < MORE) this.byte(value);
    else this.#longVarint(value);
  }

  #longVarint(value: number): void {
    let size = 2;
    for (let rest = value; rest >= MORE * MORE; rest = Math.floor(rest / MORE)) size++;
    if (this.#at < size) this.#grow(size);
    this.#at -= size;
    let to = this.#at;
    let rest = value;
    for (; rest >= MORE; rest = Math.floor(rest / MORE)) this.#memory[to++] = MORE | (rest % MORE);
    this.#memory[to] = rest;
  }

  /** In two's complement of 64 bits. No BigInt: an object may have thousands of such numbers. */
  #negativeVarint(value: number): void {
    if (this.#at < NEGATIVE_LENGTH) this.#grow(NEGATIVE_LENGTH);
    this.#at -= NEGATIVE_LENGTH;
    let to = this.#at;
    let rest = value;
    for (let i = 1; i < NEGATIVE_LENGTH; i++) {
      this.#memory[to++] = MORE | (rest & (MORE - 1));
      rest = Math.floor(rest / MORE);
    }
    this.#memory[to] = 1;
  }

  #grow(needed: number): void {
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#memory.length * 2, length + needed));
    this.#memory.copy(larger, larger.length - length, this.#at);
    this.#memory = larger;
    this.#at = larger.length - length;
  }
}
