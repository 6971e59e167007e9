import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteSlabs, type Movable } from './byte-slabs.js';

class Holder implements Movable {
  readonly byteLength: number;
  memory: Uint8Array;
  slot = -1;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.memory = bytes;
    this.byteLength = bytes.length;
  }

  get bytes(): Uint8Array {
    return this.memory.length === this.byteLength
      ? this.memory
      : this.memory.subarray(this.#offset, this.#offset + this.byteLength);
  }

  moveTo(memory: Uint8Array, offset: number): void {
    this.memory = memory;
    this.#offset = offset;
  }
}

const holder = (length: number, fill = 0): Movable => new Holder(Buffer.alloc(length, fill));

/** A holder, or bytes read from one, with their required content. */
interface Expected {
  readonly of: { readonly bytes: Uint8Array };
  readonly length: number;
  readonly fill: number;
}
const isIntact = ({ of: { bytes }, length, fill }: Expected): boolean =>
  bytes.length === length && bytes.every((byte) => byte === fill);
const length = fc.integer({ min: 0, max: 40_000 });
const step = fc.record({ at: fc.nat(40), length, remove: fc.boolean(), inPlace: fc.boolean() });

/** Only accepts a limited number of moves. */
class CountingHolder extends Holder {
  readonly #moves: Moves;

  constructor(length: number, moves: Moves) {
    super(Buffer.alloc(length));
    this.#moves = moves;
  }

  override moveTo(memory: Uint8Array, offset: number): void {
    super.moveTo(memory, offset);
    if (++this.#moves.count > this.#moves.most) throw new Error(`${this.byteLength} bytes are moved without end`);
  }
}

interface Moves {
  count: number;
  most: number;
}

const counting = (length: number, moves: Moves): Movable => new CountingHolder(length, moves);

function replace(slabs: ByteSlabs, kept: Movable[], at: number, other: Movable): void {
  slabs.release(kept[at] as Movable);
  kept[at] = other;
  slabs.place(other);
}

describe('ByteSlabs', () => {
  it('keeps every content, also of released holders that are still read', () => {
    const property = fc.property(fc.array(step, { maxLength: 400 }), fc.nat(400), (steps, packedAt) => {
      const slabs = new ByteSlabs();
      const kept = new Map<number, Movable>();
      const all: Expected[] = [];
      for (const [i, { at, length, remove, inPlace }] of steps.entries()) {
        if (i === packedAt) slabs.pack();
        const before = kept.get(at);
        if (before !== undefined) slabs.release(before);
        kept.delete(at);
        if (remove) continue;
        const fill = i % 251;
        const now = inPlace ? new Holder(slabs.allocate(length).fill(fill)) : holder(length, fill);
        slabs.place(now);
        all.push({ of: now, length, fill }, { of: { bytes: now.bytes }, length, fill });
        kept.set(at, now);
      }
      expect(all.filter((one) => !isIntact(one))).toEqual([]);
    });
    fc.assert(property, { numRuns: fc.readConfigureGlobal()?.numRuns ?? 60 });
  });

  it('does not move bytes that are in memory it allocated', () => {
    const slabs = new ByteSlabs();
    const made = Array.from({ length: 300 }, () => {
      const one = new Holder(slabs.allocate(1000));
      const { byteOffset, buffer } = one.bytes;
      slabs.place(one);
      return one.bytes.byteOffset === byteOffset && one.bytes.buffer === buffer;
    });
    expect(made).not.toContain(false);
    expect(slabs.size).toBeLessThan(1.5 * 300 * 1000);
  });

  it('uses little memory for little content', () => {
    const slabs = new ByteSlabs();
    const waste = Array.from({ length: 1000 }, (_, index) => {
      slabs.place(holder(100));
      return slabs.size - (index + 1) * 100;
    });
    // The first slab, or the newest one, which is a third of all, and the ends of the others.
    expect(waste.filter((bytes, index) => bytes > Math.max(1024, (index + 1) * 60))).toEqual([]);
  });

  it('packs a small cache into one piece of its size, from which holders are released as before', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 50 }, (_, index) => holder(100 + index, index));
    for (const one of kept) slabs.place(one);
    slabs.pack();
    const content = kept.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect([slabs.size, new Set(kept.map(({ memory }) => memory)).size]).toEqual([content, 1]);
    const next = holder(100);
    for (const one of kept) slabs.release(one);
    slabs.place(next);
    slabs.release(next);
    expect(slabs.size).toBeLessThan(content);
    expect(
      kept.every(({ bytes }, index) => bytes.length === 100 + index && bytes.every((byte) => byte === index)),
    ).toBe(true);
  });

  it('leaves the slabs of a large cache as they are', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 1000 }, () => holder(1000));
    for (const one of kept) slabs.place(one);
    const before = kept.map(({ memory }) => memory);
    slabs.pack();
    expect(kept.map(({ memory }, index) => memory === before[index])).not.toContain(false);
  });

  it('gives large bytes their own memory, and does not move those that have it', () => {
    const slabs = new ByteSlabs();
    const pooled = new Holder(Buffer.allocUnsafe(5000).fill(7));
    expect(pooled.bytes.buffer.byteLength).toBeGreaterThan(5000);
    slabs.place(pooled);
    const { bytes } = pooled;
    slabs.place(pooled);
    expect([bytes.buffer.byteLength, bytes.every((byte) => byte === 7), pooled.bytes === bytes, slabs.size]).toEqual([
      5000,
      true,
      true,
      0,
    ]);
    expect(slabs.allocate(5000).buffer.byteLength).toBe(5000);
  });

  it('uses little more than the live content, under endless updates', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 5000 }, () => holder(1000));
    for (const one of kept) slabs.place(one);
    let seed = 1;
    for (let i = 0; i < 100_000; i++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const at = seed % kept.length;
      slabs.release(kept[at] as Movable);
      kept[at] = holder(1000);
      slabs.place(kept[at] as Movable);
    }
    expect(slabs.size / (5000 * 1000)).toBeLessThan(1.25);
  });

  it('moves next to nothing while holders of one age are replaced in order', () => {
    const slabs = new ByteSlabs();
    const moves: Moves = { count: 0, most: Number.POSITIVE_INFINITY };
    const kept = Array.from({ length: 5000 }, () => counting(1000, moves));
    for (const one of kept) slabs.place(one);
    moves.count = 0;
    const replaced = 20_000;
    for (let i = 0; i < replaced; i++) replace(slabs, kept, i % kept.length, counting(1000, moves));
    // Each is placed once, and moved once when it is released.
    expect(moves.count - 2 * replaced).toBeLessThan(replaced / 20);
  });

  it('uses no more memory for the first holders that are replaced in order', () => {
    const slabs = new ByteSlabs();
    const moves: Moves = { count: 0, most: Number.POSITIVE_INFINITY };
    const kept = Array.from({ length: 20_000 }, () => counting(1000, moves));
    for (const one of kept) slabs.place(one);
    const before = slabs.size;
    moves.count = 0;
    for (let i = 0; i < 2000; i++) replace(slabs, kept, i, counting(1000, moves));
    const slab = 256 * 1024;
    expect([slabs.size - before <= 2 * slab, moves.count - 2 * 2000]).toEqual([true, 0]);
  });

  // Four of 3,300 bytes leave a fifth of a small slab empty: moving them leaves the same gap.
  it.each([1100, 1300, 1400, 1650, 2040, 2731, 2785, 3277, 3300, 3480, 4095])(
    'moves at most the live content for one replacement, however badly %i bytes fit',
    (length) => {
      for (let count = 1; count <= 60; count++) {
        const slabs = new ByteSlabs();
        const moves: Moves = { count: 0, most: Number.POSITIVE_INFINITY };
        const kept = Array.from({ length: count }, () => counting(length, moves));
        for (const one of kept) slabs.place(one);
        for (let i = 0; i < 3 * count; i++) {
          moves.most = moves.count + 2 + 2 * count;
          replace(slabs, kept, (i * 7) % count, counting(length, moves));
        }
      }
    },
  );

  it('retains little more than the released content that is still read', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 5000 }, () => holder(1000));
    for (const one of kept) slabs.place(one);
    // Like the window of changes: the newest 500.
    const read: Movable[] = [];
    let seed = 1;
    for (let i = 0; i < 20_000; i++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const at = seed % kept.length;
      const before = kept[at] as Movable;
      slabs.release(before);
      if (read.push(before) > 500) read.shift();
      kept[at] = holder(1000);
      slabs.place(kept[at] as Movable);
    }
    const pieces = (holders: readonly Movable[]) => new Set(holders.map(({ bytes }) => bytes.buffer));
    const onlyRead = pieces(read).difference(pieces(kept));
    // 500 kB and a partly filled slab.
    expect(onlyRead.size).toBeLessThanOrEqual(3);
  });

  it('releases everything', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 1000 }, () => holder(1000));
    for (const one of kept) slabs.place(one);
    for (const one of kept) slabs.release(one);
    expect(slabs.size).toBeLessThanOrEqual(256 * 1024);
  });
});
