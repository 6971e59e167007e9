import { describe, expect, it } from 'vitest';
import { ConversionNeeded, withConversions } from './with-conversions.js';

function merge(count: number) {
  const done = new Set<number>();
  const needed = (n: number) =>
    new ConversionNeeded({ convert: async () => void done.add(n), forget: () => void done.delete(n) });
  let runs = 0;
  const run = (): number => {
    runs++;
    for (let n = 0; n < count; n++) if (!done.has(n)) throw needed(n);
    return runs;
  };
  return { run, done };
}

describe('a merge', () => {
  it('that needs no conversion runs at once', () => {
    expect(withConversions(merge(0).run)).toBe(1);
  });

  it.each(['at once', 'in steps'])('starts again after each conversion, and keeps none of them (%s)', async (how) => {
    const { run, done } = merge(3);
    const result = withConversions(how === 'at once' ? run : async () => run());
    expect([await result, done.size]).toEqual([4, 0]);
  });

  it('fails with its own error', async () => {
    const fail = () => {
      throw new Error('mine');
    };
    expect(() => withConversions(fail)).toThrow('mine');
    await expect(withConversions(async () => fail())).rejects.toThrow('mine');
  });

  it('does not start again without end', async () => {
    const { run, done } = merge(65);
    await expect(withConversions(run)).rejects.toThrow('the managed fields need too many conversions');
    expect(done.size).toBe(0);
  });
});
