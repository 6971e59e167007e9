import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatheredBytes } from './gathered-bytes.js';

describe('GatheredBytes', () => {
  it('returns all parts in order, once', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 400, size: 'max' }), (parts) => {
        const gathered = new GatheredBytes();
        for (const part of parts) gathered.push(Buffer.from(part));
        const expected = Buffer.concat(parts);
        expect(gathered.length).toBe(expected.length);
        expect(gathered.take().equals(expected)).toBe(true);
        expect([gathered.length, gathered.parts, gathered.take().length]).toEqual([0, 0, 0]);
      }),
      { numRuns: 50 },
    );
  });

  it('does not copy a single part', () => {
    const gathered = new GatheredBytes();
    const part = Buffer.from('a');
    gathered.push(part);
    expect(gathered.take()).toBe(part);
  });

  it.each([
    ['few, for any number of single bytes', 1, 100_000, 64 + 100_000 / 512],
    ['all, without copies, if they have some size', 16_384, 1_000, 1_000],
  ])('keeps parts (%s)', (_, size, count, most) => {
    const gathered = new GatheredBytes();
    let kept = 0;
    for (let index = 0; index < count; index++) {
      gathered.push(Buffer.alloc(size, index));
      kept = Math.max(kept, gathered.parts);
    }
    expect(kept).toBeGreaterThan(most / 2);
    expect(kept).toBeLessThanOrEqual(most);
    expect(gathered.length).toBe(size * count);
  });
});
