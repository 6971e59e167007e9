import { Buffer } from 'node:buffer';

/**
 * A bitmap of the `size` ports of a range, by offset. Upstream: AllocationBitmap of
 * pkg/registry/core/service/allocator/bitmap.go
 */
export class PortBitmap {
  readonly size: number;
  /** Bit 0 of byte 0 is offset 0. */
  readonly #bytes: Uint8Array;

  private constructor(size: number, bytes: Uint8Array) {
    this.size = size;
    this.#bytes = bytes;
  }

  static empty(size: number): PortBitmap {
    return new PortBitmap(size, new Uint8Array(Math.ceil(size / 8)));
  }

  /** Reads the output of `toBase64`. Bits beyond the size are dropped. */
  static fromBase64(size: number, data: string): PortBitmap {
    const bitmap = PortBitmap.empty(size);
    const stored = Buffer.from(data, 'base64').reverse();
    bitmap.#bytes.set(stored.subarray(0, bitmap.#bytes.length));
    return bitmap;
  }

  has(offset: number): boolean {
    return ((this.#bytes[offset >> 3] ?? 0) & (1 << (offset & 7))) !== 0;
  }

  /** False if the port is already allocated. */
  take(offset: number): boolean {
    if (this.has(offset)) return false;
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) | (1 << (offset & 7));
    return true;
  }

  release(offset: number): void {
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) & ~(1 << (offset & 7));
  }

  /** All allocated offsets, ascending. */
  taken(): number[] {
    const taken: number[] = [];
    for (const [at, byte] of this.#bytes.entries()) {
      // Few ports are allocated.
      if (byte === 0) continue;
      const next = Math.min((at + 1) * 8, this.size);
      for (let offset = at * 8; offset < next; offset++) if (this.has(offset)) taken.push(offset);
    }
    return taken;
  }

  /** A big-endian number without leading zeros, as Go's big.Int.Bytes. */
  toBase64(): string {
    const bytes = Buffer.from(this.#bytes).reverse();
    const start = bytes.findIndex((byte) => byte !== 0);
    return start < 0 ? '' : bytes.subarray(start).toString('base64');
  }
}
