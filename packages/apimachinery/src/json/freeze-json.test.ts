import { expect, it } from 'vitest';
import { freezeJson, freezeJsonSteps } from './freeze-json.js';

it('deep-freezes a large value in steps, including parts below frozen ones', () => {
  const shared = freezeJson({ a: [1] });
  const items = Array.from({ length: 20_000 }, (_, i) => ({ [i]: {} }));
  const value = { map: Object.fromEntries(items.map((item, i) => [`k${i}`, item])), items, shared };
  const steps = freezeJsonSteps(value);
  let count = 1;
  while (!steps.next().done) count++;
  const all = [value, value.map, items, ...items, ...items.map((item, i) => item[i])];
  expect([count, all.every((part) => Object.isFrozen(part))]).toEqual([4, true]);
});
