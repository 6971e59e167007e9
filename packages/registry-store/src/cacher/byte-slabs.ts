/** Something whose bytes can be kept elsewhere. */
export interface Movable {
  /** What they lie in, alone or with others. */
  readonly memory: Uint8Array;
  readonly byteLength: number;
  /** Always the same content. */
  readonly bytes: Uint8Array;
  /** Where its slab has it; of nobody's concern but the slabs'. */
  slot: number;
  /** The same bytes lie there from now on. */
  moveTo(memory: Uint8Array, offset: number): void;
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
  #slabs = new Map<Uint8Array, Slab>();
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
    const length = holder.byteLength;
    if (length >= TOO_LARGE) {
      if (holder.memory.buffer.byteLength > length) holder.moveTo(ownCopy(holder.bytes), 0);
      return;
    }
    const slab = this.#roomFor(length);
    const { buffer, filled } = slab;
    const { bytes } = holder;
    if (bytes.buffer !== buffer.buffer || bytes.byteOffset !== filled) buffer.set(bytes, filled);
    holder.moveTo(buffer, filled);
    holder.slot = slab.holders.push(holder) - 1;
    slab.filled += length;
    slab.live += length;
  }

  /**
   * The holder is no longer kept. Its bytes may still be read: they move to others that were released about when it was,
   * and will be forgotten about when it is. Where they were, each would keep a slab alive that is given up.
   */
  release(holder: Movable): void {
    const slab = this.#slabs.get(holder.memory);
    if (slab === undefined || slab.holders[holder.slot] !== holder) return;
    slab.holders[holder.slot] = undefined;
    slab.live -= holder.byteLength;
    if (slab !== this.#current) this.#fullLive -= holder.byteLength;
    this.#moveReleased(holder);
    // What is replaced in turn leaves whole slabs behind.
    if (slab !== this.#current && slab.live === 0) this.#giveUp(slab);
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
    const length = holder.byteLength;
    if (this.#released === undefined || this.#releasedFilled + length > this.#released.length) {
      this.#released = newSlab(2 * (this.#released?.length ?? 0));
      this.#releasedFilled = 0;
    }
    this.#released.set(holder.bytes, this.#releasedFilled);
    holder.moveTo(this.#released, this.#releasedFilled);
    this.#releasedFilled += length;
  }

  #roomFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.filled + length <= current.buffer.length) return current;
    if (current !== undefined) this.#countFull(current, 1);
    const slab: Slab = { buffer: newSlab(this.#size), holders: [], filled: 0, live: 0 };
    this.#size += slab.buffer.length;
    this.#slabs.set(slab.buffer, slab);
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
    if (emptiest !== undefined) this.#giveUp(emptiest);
  }

  #giveUp(slab: Slab): void {
    this.#slabs.delete(slab.buffer);
    this.#size -= slab.buffer.length;
    this.#countFull(slab, -1);
    for (const holder of slab.holders) if (holder !== undefined) this.place(holder);
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
