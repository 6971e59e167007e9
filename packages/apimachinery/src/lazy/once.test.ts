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
