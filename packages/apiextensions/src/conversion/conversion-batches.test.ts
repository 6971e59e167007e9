import { describe, expect, it } from 'vitest';
import { ConversionBatches } from './conversion-batches.js';

function batches(bounds: { readonly items?: number; readonly bytes?: number; readonly calls?: number } = {}) {
  const calls: { readonly key: string; readonly values: readonly number[] }[] = [];
  const waiting: (() => void)[] = [];
  const joined = new ConversionBatches<number, number>(
    { items: 10, bytes: 100, calls: 10, ...bounds },
    (key, values) => {
      calls.push({ key, values });
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      return values.map((value) => promise.then(() => value * 10));
    },
  );
  return { joined, calls, release: () => waiting.splice(0).map((resolve) => resolve()) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('conversion batches', () => {
  it('join what comes in one turn, by key and in order', async () => {
    const { joined, calls, release } = batches();
    const results = [1, 2, 3, 4].map((value) => joined.add(value % 2 === 0 ? 'even' : 'odd', { value, bytes: 1 }));
    await turn();
    release();
    expect([await Promise.all(results), calls]).toEqual([
      [10, 20, 30, 40],
      [
        { key: 'odd', values: [1, 3] },
        { key: 'even', values: [2, 4] },
      ],
    ]);
  });

  it.each([
    ['items', { items: 2 }, [[1, 2], [3]]],
    ['bytes, unless one value is larger', { bytes: 35 }, [[1, 3], [2]]],
  ])('are bounded by %s', async (_, bounds, values) => {
    const { joined, calls } = batches(bounds);
    for (const value of [1, 2, 3]) void joined.add('', { value, bytes: value === 2 ? 90 : 10 });
    await turn();
    expect(calls.map((call) => call.values)).toEqual(values);
  });

  it('wait for a free call', async () => {
    const { joined, calls, release } = batches({ items: 1, calls: 2 });
    const results = [1, 2, 3].map((value) => joined.add('', { value, bytes: 1 }));
    await turn();
    expect(calls).toHaveLength(2);
    release();
    await expect.poll(() => calls.length).toBe(3);
    release();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
  });

  it('reject one value without the others', async () => {
    const joined = new ConversionBatches<number, number>({ items: 9, bytes: 9, calls: 1 }, (_, values) =>
      values.map(async (value) => {
        if (value === 2) throw new Error('two');
        return value;
      }),
    );
    const results = await Promise.allSettled([1, 2, 3].map((value) => joined.add('', { value, bytes: 1 })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
