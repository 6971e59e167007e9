/** Something whose bytes can be kept elsewhere. */
export interface Movable {
  /** Always the same content. */
  bytes: Uint8Array;
  /** Where its slab has it; of nobody's concern but the slabs'. */
  slot: number;
}

const SLAB_BYTES = 256 * 1024;
/** What the first slab has; the next ones have as much as there is already. Most caches keep little. */
const FIRST_SLAB_BYTES = 16 * 1024;
/**
 * Those have memory of their own: what that costs is less than the gaps in their slabs, and they need not be moved when
 * others are replaced, which leaves whole slabs to be collected.
 */
const TOO_LARGE = 4 * 1024;
/** When less than that is needed of what fills all full slabs, the emptiest is given up: what they waste against what moving costs. */
const LEAST_USE = 0.85;

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
 * reads what was moved keeps the old slab alive until he is done.
 */
export class ByteSlabs {
  #slabs = new Map<ArrayBufferLike, Slab>();
  #current: Slab | undefined;
  #size = 0;
  /**
   * What all slabs but the current one are filled with, and how much of that is needed. What a slab has left at its end,
   * where the next one did not fit, is no gap: moving the others would leave as much elsewhere.
   */
  #fullFilled = 0;
  #fullLive = 0;
  /** Where what was released lies, in the order in which it was, and how far it is full. */
  #released: Buffer | undefined;
  #releasedFilled = 0;

  /** How much memory the slabs take. */
  get size(): number {
    return this.#size;
  }

  /** Memory for bytes that are placed next: then they are where they belong already. */
  readonly allocate = (length: number): Buffer => {
    if (length >= TOO_LARGE) return Buffer.allocUnsafeSlow(length);
    const { buffer, filled } = this.#roomFor(length);
    return buffer.subarray(filled, filled + length);
  };

  /** Moves the bytes of a holder. */
  place(holder: Movable): void {
    const { bytes } = holder;
    const { length } = bytes;
    if (length >= TOO_LARGE) {
      if (bytes.buffer.byteLength > length) holder.bytes = ownCopy(bytes);
      return;
    }
    const slab = this.#roomFor(length);
    if (bytes.buffer !== slab.buffer.buffer || bytes.byteOffset !== slab.filled) {
      slab.buffer.set(bytes, slab.filled);
      holder.bytes = slab.buffer.subarray(slab.filled, slab.filled + length);
    }
    holder.slot = slab.holders.push(holder) - 1;
    slab.filled += length;
    slab.live += length;
  }

  /**
   * The holder is no longer kept. Its bytes may still be read: they move to others that were released about when it was,
   * and will be forgotten about when it is. Where they were, each would keep a slab alive that is given up.
   */
  release(holder: Movable): void {
    const slab = this.#slabs.get(holder.bytes.buffer);
    if (slab === undefined || slab.holders[holder.slot] !== holder) return;
    slab.holders[holder.slot] = undefined;
    slab.live -= holder.bytes.length;
    if (slab !== this.#current) this.#fullLive -= holder.bytes.length;
    this.#moveReleased(holder);
    while (this.#fullLive < this.#fullFilled * LEAST_USE) this.#giveUpEmptiest();
  }

  clear(): void {
    this.#slabs = new Map();
    this.#current = undefined;
    this.#size = 0;
    this.#fullFilled = 0;
    this.#fullLive = 0;
    this.#released = undefined;
  }

  #moveReleased(holder: Movable): void {
    const { length } = holder.bytes;
    if (this.#released === undefined || this.#releasedFilled + length > this.#released.length) {
      this.#released = newSlab(2 * (this.#released?.length ?? 0));
      this.#releasedFilled = 0;
    }
    this.#released.set(holder.bytes, this.#releasedFilled);
    holder.bytes = this.#released.subarray(this.#releasedFilled, this.#releasedFilled + length);
    this.#releasedFilled += length;
  }

  #roomFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.filled + length <= current.buffer.length) return current;
    if (current !== undefined) this.#countFull(current, 1);
    const slab: Slab = { buffer: newSlab(this.#size), holders: [], filled: 0, live: 0 };
    this.#size += slab.buffer.length;
    this.#slabs.set(slab.buffer.buffer, slab);
    this.#current = slab;
    return slab;
  }

  #countFull({ filled, live }: Slab, sign: 1 | -1): void {
    this.#fullFilled += sign * filled;
    this.#fullLive += sign * live;
  }

  /**
   * The one that leaves the least to move: objects of one age are often replaced one after the other, and then nothing is
   * left of their slabs before others have to be touched.
   */
  #giveUpEmptiest(): void {
    let emptiest: Slab | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const slab of this.#slabs.values()) {
      const use = slab.live / slab.filled;
      if (slab === this.#current || use >= least) continue;
      emptiest = slab;
      least = use;
    }
    if (emptiest === undefined) return;
    this.#slabs.delete(emptiest.buffer.buffer);
    this.#size -= emptiest.buffer.length;
    this.#countFull(emptiest, -1);
    for (const holder of emptiest.holders) if (holder !== undefined) this.place(holder);
  }
}

/** Without what else lies in the same memory, which would live as long. */
function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

function newSlab(wanted: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.min(SLAB_BYTES, Math.max(FIRST_SLAB_BYTES, wanted)));
}
