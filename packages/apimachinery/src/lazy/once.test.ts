import { expect, it } from 'vitest';
import { once } from './once.js';

it.each([[1], [undefined], [null]])('makes %s at the first call, and only then', (value) => {
  const results: unknown[] = [];
  const get = once(() => {
    results.push('made');
    return value;
  });
  expect(results).toEqual([]);
  expect([get(), get(), ...results]).toEqual([value, value, 'made']);
});

it('tries again after a call that threw', () => {
  let calls = 0;
  const get = once(() => {
    calls++;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  expect(get).toThrow('not yet');
  expect([get(), get()]).toEqual([2, 2]);
});

it('tries again after a promise that was rejected', async () => {
  let calls = 0;
  const get = once(async () => {
    calls++;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  const both = [get(), get()];
  await expect(both[0]).rejects.toThrow('not yet');
  await expect(both[1]).rejects.toThrow('not yet');
  expect([await get(), await get()]).toEqual([2, 2]);
});
