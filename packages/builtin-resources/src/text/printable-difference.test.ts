import { expect, it } from 'vitest';
import { printableDifference } from './printable-difference.js';

const spec = (length: number, first: string) => ({
  list: [first, ...Array.from({ length }, (_, i) => ({ name: `n${i}` }))],
});
const NOTE = '(the difference is too long to be printed)\n';

it.each([
  [
    'small values',
    spec(1, 'a'),
    spec(1, 'b'),
    '@@ -1,6 +1,6 @@\n {\n  "list": [\n-  "a",\n+  "b",\n   {\n    "name": "n0"\n   }\n',
  ],
  ['a large value before', spec(10_000, 'a'), spec(1, 'b'), NOTE],
  ['a large value after', spec(1, 'a'), spec(10_000, 'b'), NOTE],
  ['a long text', spec(1, 'a'), spec(1, '\n'.repeat(600 * 1_024)), NOTE],
  ['a long key', spec(1, 'a'), { ...spec(1, 'b'), ['k'.repeat(600 * 1_024)]: 1 }, NOTE],
])('of %s', (_, before, after, difference) => {
  expect(printableDifference(before, after, (value) => value)).toBe(difference);
});
