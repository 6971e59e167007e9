const HEAD_BYTES = 9;

/** Finds the heads of HTTP/2 frames in the bytes of one direction of a connection, however they are divided. */
export class FrameReader {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #onFrame: (type: number, flags: number, stream: number) => void;
  /** Number of known bytes of the next head. */
  #known = 0;
  /** Number of bytes before the next head. */
  #skipped: number;

  /** `before` is the number of bytes before the first frame. */
  constructor(before: number, onFrame: (type: number, flags: number, stream: number) => void) {
    this.#skipped = before;
    this.#onFrame = onFrame;
  }

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.#skipped, bytes.length - at);
      this.#skipped -= skipped;
      at += skipped;
      const part = bytes.subarray(at, at + HEAD_BYTES - this.#known);
      this.#head.set(part, this.#known);
      this.#known += part.length;
      at += part.length;
      if (this.#known === HEAD_BYTES) this.#frame();
    }
  }

  #frame(): void {
    const head = this.#head;
    this.#known = 0;
    this.#skipped = head.readUIntBE(0, 3);
    this.#onFrame(head.readUInt8(3), head.readUInt8(4), head.readUInt32BE(5) & 0x7fffffff);
  }
}
