import { expect, it } from 'vitest';
import { testContext } from '../testing/widget.js';
import { writeOptions } from './write-options.js';

const large = { yieldToEventLoop: async () => {} };

it.each([
  ['a usual write', {}, undefined, {}],
  ['a ttl of 0', {}, 0, {}],
  ['an object that ends', {}, 30, { ttl: 30 }],
  ['a write whose result is read', { readsResult: true }, undefined, { readsResult: true }],
  ['such a write that ends', { readsResult: true }, 30, { readsResult: true, ttl: 30 }],
  ['a write whose result nobody reads', { readsResult: false }, undefined, {}],
  ['a large object', large, 0, { isLarge: true }],
  ['a large object that ends', large, 30, { isLarge: true, ttl: 30 }],
  ['a large object whose result is read', { ...large, readsResult: true }, undefined, { isLarge: true }],
])('are those of %s', (_, context, ttl, options) => {
  expect(writeOptions(testContext(context), ttl)).toEqual(options);
});
