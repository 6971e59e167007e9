import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteSlabs, type Movable } from './byte-slabs.js';

const holder = (length: number, fill = 0): Movable => ({ bytes: Buffer.alloc(length, fill), slot: -1 });
const step = fc.record({ at: fc.nat(40), length: fc.integer({ min: 0, max: 20_000 }), remove: fc.boolean() });

describe('ByteSlabs', () => {
  it('keeps every content, also of what was released and is still read, whatever comes and goes', () => {
    const property = fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const slabs = new ByteSlabs();
      const kept = new Map<number, Movable>();
      const read: [bytes: Uint8Array, fill: number][] = [];
      for (const [i, { at, length, remove }] of steps.entries()) {
        const before = kept.get(at);
        if (before !== undefined) slabs.release(before);
        kept.delete(at);
        if (remove) continue;
        const now = holder(length, i % 251);
        slabs.place(now);
        read.push([now.bytes, i % 251]);
        kept.set(at, now);
      }
      expect(read.filter(([bytes, fill]) => bytes.some((byte) => byte !== fill))).toEqual([]);
      for (const { bytes } of kept.values()) expect(new Set(bytes).size).toBeLessThanOrEqual(1);
    });
    fc.assert(property, { numRuns: 60 });
  });

  it('takes little more than what is kept, under endless updates', () => {
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

  it('gives everything back', () => {
    const slabs = new ByteSlabs();
    const kept = Array.from({ length: 1000 }, () => holder(1000));
    for (const one of kept) slabs.place(one);
    for (const one of kept) slabs.release(one);
    expect(slabs.size).toBeLessThanOrEqual(256 * 1024);
  });
});
