import { expect, test } from 'vitest';
import { evaluateText } from '../testing/evaluate-text.js';
import { ArrayList } from '../values/lists.js';

const numbers = new ArrayList(Array.from({ length: 200_000 }, (_, index) => index % 1_000));
const nested = new ArrayList(Array.from({ length: 2_000 }, () => new ArrayList(Array.from({ length: 100 }, () => 1))));
const version = `1.0.0-${'a.'.repeat(100_000)}b`;

test.each([
  ['sort', 'numbers.sort().size()'],
  ['format', '"%s".format([numbers]).size()'],
  ['distinct', 'nested.distinct().size()'],
  ['sets', 'sets.contains(nested, nested)'],
  ['versions', '[semver(version)].all(v, lists.range(100).all(i, v.compareTo(v) == 0))'],
  ['sums', 'lists.range(100000).all(i, quantity("1").add(i).isInteger())'],
])('work beyond the cost ends an evaluation: %s', (_, expression) => {
  expect(evaluateText(expression, { numbers, nested, version })[0]).toBe(
    'error: operation cancelled: actual cost limit exceeded',
  );
});
