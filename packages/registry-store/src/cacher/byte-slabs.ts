/** Something whose bytes can be kept elsewhere. */
export interface Movable {
  /** Always the same content. */
  bytes: Uint8Array;
  /** Where its slab has it; of nobody's concern but the slabs'. */
  slot: number;
}

const SLAB_BYTES = 256 * 1024;
/** Those are left where they are: what memory of their own costs does not count, and their slabs would have large gaps. */
const TOO_LARGE = 32 * 1024;
/** A slab of which less than that is needed is given up: what a slab wastes against what moving costs. */
const LEAST_USE = 0.8;

interface Slab {
  readonly buffer: Buffer;
  /** By slot; undefined: released. */
  readonly holders: (Movable | undefined)[];
  filled: number;
  live: number;
}

/**
 * Keeps the bytes of many small objects in few pieces of memory: a piece of its own costs each of them 400 bytes, and lies
 * among others that are soon free and too small for anything else. Who still
 * reads what was released or moved keeps the old slab alive until he is done.
 */
export class ByteSlabs {
  #slabs = new Map<ArrayBufferLike, Slab>();
  #current: Slab | undefined;

  /** How much memory the slabs take. */
  get size(): number {
    return this.#slabs.size * SLAB_BYTES;
  }

  /** Moves the bytes of a holder. */
  place(holder: Movable): void {
    const { length } = holder.bytes;
    if (length >= TOO_LARGE) return;
    const slab = this.#roomFor(length);
    slab.buffer.set(holder.bytes, slab.filled);
    holder.bytes = slab.buffer.subarray(slab.filled, slab.filled + length);
    holder.slot = slab.holders.push(holder) - 1;
    slab.filled += length;
    slab.live += length;
  }

  /** The holder is no longer kept; its bytes may still be read. */
  release(holder: Movable): void {
    const slab = this.#slabs.get(holder.bytes.buffer);
    if (slab === undefined || slab.holders[holder.slot] !== holder) return;
    slab.holders[holder.slot] = undefined;
    slab.live -= holder.bytes.length;
    if (slab !== this.#current && slab.live < SLAB_BYTES * LEAST_USE) this.#giveUp(slab);
  }

  clear(): void {
    this.#slabs = new Map();
    this.#current = undefined;
  }

  #roomFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.filled + length <= SLAB_BYTES) return current;
    const slab: Slab = { buffer: Buffer.allocUnsafeSlow(SLAB_BYTES), holders: [], filled: 0, live: 0 };
    this.#slabs.set(slab.buffer.buffer, slab);
    this.#current = slab;
    return slab;
  }

  #giveUp(slab: Slab): void {
    this.#slabs.delete(slab.buffer.buffer);
    for (const holder of slab.holders) if (holder !== undefined) this.place(holder);
  }
}
