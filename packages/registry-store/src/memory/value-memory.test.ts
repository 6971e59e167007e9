import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueMemory } from './value-memory.js';

/** A value as encoders make them: in Buffer's pool. */
const pooled = (length: number, fill: number): Buffer => Buffer.from(Buffer.alloc(length, fill));

describe('ValueMemory', () => {
  it('keeps every content, apart from the memory that it came in', () => {
    const property = fc.property(fc.array(fc.integer({ min: 1, max: 12_000 }), { maxLength: 100 }), (lengths) => {
      const memory = new ValueMemory();
      const kept = lengths.map((length, index) => {
        const value = pooled(length, index);
        const copy = memory.keep(value);
        value.fill(255);
        return { copy, length, index };
      });
      const isIntact = ({ copy, length, index }: (typeof kept)[number]) =>
        copy.length === length && copy.every((byte) => byte === index);
      expect(kept.filter((one) => !isIntact(one))).toEqual([]);
    });
    fc.assert(property);
  });

  it('takes over a value that has memory of its own', () => {
    const value = new Uint8Array(100);
    expect(new ValueMemory().keep(value)).toBe(value);
  });

  it('uses little memory for few values, and packs many', () => {
    const memory = new ValueMemory();
    const sizes = [20, 2000].map((count) => {
      const kept = Array.from({ length: count }, () => memory.keep(pooled(100, 1)));
      return [...new Set(kept.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);
    });
    expect(sizes[0]).toBeLessThanOrEqual(4 * 1024);
    expect(sizes[1]).toBeLessThanOrEqual(200_000 + 32 * 1024);
  });
});
