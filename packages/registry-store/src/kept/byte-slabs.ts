import { ownCopy } from '../own-copy.js';

/** An object whose bytes can be moved. */
export interface Movable {
  /** The memory that contains them, perhaps with others. */
  readonly memory: Uint8Array;
  readonly byteLength: number;
  /** The content never changes. */
  readonly bytes: Uint8Array;
  /** Its index in the slab, for internal use; `STAYS` for bytes in memory that others have, too. */
  slot: number;
  /** The same bytes are there from now on. */
  moveTo(memory: Uint8Array, offset: number): void;
}

/** The slot of an object that is never moved. */
export const STAYS = -2;

const SLAB_BYTES = 256 * 1024;
/** Size of the first slab; each further one is half as large as all before it. Most caches are small. */
const FIRST_SLAB_BYTES = 1024;
/**
 * Larger objects have their own memory: it costs less than their gaps in slabs. They also need not be moved when others
 * are replaced, so whole slabs can be freed.
 */
const TOO_LARGE = 4 * 1024;
/** Minimum live share of all full slabs; below it the emptiest is evacuated. It balances waste against moves. */
const MIN_USE = 0.85;

interface Slab {
  readonly buffer: Buffer;
  /** By slot; undefined for released ones. */
  readonly holders: (Movable | undefined)[];
  filled: number;
  live: number;
}

/**
 * Packs the bytes of many small objects into few buffers. A buffer of its own costs each object 400 bytes, and
 * fragments the memory. Readers of moved bytes keep the old slab alive until they finish.
 */
export class ByteSlabs {
  #slabs = new Map<Uint8Array, Slab>();
  #current: Slab | undefined;
  #size = 0;
  /**
   * Used and live bytes of all slabs but the current one. The unused end of a slab is not a gap: moving its content
   * would leave as much elsewhere.
   */
  #fullFilled = 0;
  #fullLive = 0;
  /** Buffer of released bytes, in order of release, and its fill level. */
  #released: Buffer | undefined;
  #releasedFilled = 0;

  /** Bytes that the slabs occupy. */
  get size(): number {
    return this.#size;
  }

  /** Allocates memory for bytes that are placed next, so that they need no move. */
  readonly allocate = (length: number): Buffer => {
    if (length >= TOO_LARGE) return Buffer.allocUnsafeSlow(length);
    const { buffer, filled } = this.#roomFor(length);
    return buffer.subarray(filled, filled + length);
  };

  /** Moves the bytes of a holder into a slab. */
  place(holder: Movable): void {
    if (holder.slot === STAYS) return;
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
   * Releases a holder. Its bytes may still be read: they move to bytes released at about the same time, which will be
   * dropped at about the same time. In its slab each of them would keep an evacuated slab alive.
   */
  release(holder: Movable): void {
    const slab = this.#slabs.get(holder.memory);
    if (slab === undefined || slab.holders[holder.slot] !== holder) return;
    slab.holders[holder.slot] = undefined;
    slab.live -= holder.byteLength;
    if (slab !== this.#current) this.#fullLive -= holder.byteLength;
    this.#moveReleased(holder);
    // Replacements in order empty whole slabs.
    if (slab !== this.#current && slab.live === 0) this.#giveUp(slab);
    while (this.#fullLive < this.#fullFilled * MIN_USE) this.#giveUpEmptiest();
  }

  /** Packs the slabs of a small cache into one without an unused end. Most caches get little after they were filled. */
  pack(): void {
    const slabs = [...this.#slabs.values()];
    const length = slabs.reduce((sum, { filled }) => sum + filled, 0);
    if (length === 0 || this.#size > SLAB_BYTES) return;
    const buffer = Buffer.allocUnsafeSlow(length);
    const packed: Slab = { buffer, holders: [], filled: 0, live: 0 };
    for (const slab of slabs) {
      buffer.set(slab.buffer.subarray(0, slab.filled), packed.filled);
      for (const holder of slab.holders) {
        if (holder === undefined) continue;
        holder.moveTo(buffer, packed.filled + holder.bytes.byteOffset);
        holder.slot = packed.holders.push(holder) - 1;
      }
      packed.filled += slab.filled;
      packed.live += slab.live;
    }
    this.clear();
    this.#slabs.set(buffer, packed);
    this.#current = packed;
    this.#size = length;
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
      this.#released = newSlab(Math.max(length, 2 * (this.#released?.length ?? 0)));
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
    const buffer = newSlab(Math.max(length, this.#size / 2));
    const slab: Slab = { buffer, holders: [], filled: 0, live: 0 };
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
   * Evacuates the slab with the least to move. Objects of one age are often replaced in order, which empties their
   * slabs before others need to be moved.
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

function newSlab(wanted: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.min(SLAB_BYTES, Math.max(FIRST_SLAB_BYTES, Math.ceil(wanted))));
}
