import { Buffer } from 'node:buffer';

/**
 * Which of `size` ports are taken, by their offsets.
 * Upstream: AllocationBitmap of pkg/registry/core/service/allocator/bitmap.go
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

  /** Of what `toBase64` wrote. Bits beyond the size are left out. */
  static fromBase64(size: number, data: string): PortBitmap {
    const bitmap = PortBitmap.empty(size);
    const stored = Buffer.from(data, 'base64').reverse();
    bitmap.#bytes.set(stored.subarray(0, bitmap.#bytes.length));
    return bitmap;
  }

  has(offset: number): boolean {
    return ((this.#bytes[offset >> 3] ?? 0) & (1 << (offset & 7))) !== 0;
  }

  /** False if it is taken already. */
  take(offset: number): boolean {
    if (this.has(offset)) return false;
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) | (1 << (offset & 7));
    return true;
  }

  release(offset: number): void {
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) & ~(1 << (offset & 7));
  }

  /** Every taken offset, ascending. */
  taken(): number[] {
    return Array.from({ length: this.size }, (_, offset) => offset).filter((offset) => this.has(offset));
  }

  /** A number, highest byte first, without leading zeros: Go's big.Int.Bytes. */
  toBase64(): string {
    const bytes = Buffer.from(this.#bytes).reverse();
    const start = bytes.findIndex((byte) => byte !== 0);
    return start < 0 ? '' : bytes.subarray(start).toString('base64');
  }
}
