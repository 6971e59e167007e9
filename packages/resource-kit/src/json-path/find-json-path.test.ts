import { describe, expect, it } from 'vitest';
import { findJsonPath, newPathBudget } from './find-json-path.js';
import { parseJsonPath } from './parse-json-path.js';

/** An object of this many levels. */
function nested(levels: number): unknown {
  let value: unknown = { a: 1 };
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}
const list = (length: number) => Array.from({ length }, (_, i) => ({ a: i }));

describe('findJsonPath', () => {
  it.each<[string, unknown, string, number]>([
    ['two recursive steps over 100 levels', nested(100), '..a..a', 4_950],
    ['four recursive steps over 300 levels', nested(300), '..a..a..a..a', 0],
    ['a wildcard over many values', { l: list(100_000) }, '.l[*].a', 100_000],
    ['wildcards over more values than the budget', { l: list(100_000) }, '.l[*]..a..', 0],
    ['the bytes of a text', { t: 'ab' }, '.t.*', 2],
    ['the bytes of a long text', { t: 'a'.repeat(1_000_000) }, '.t.*', 0],
    ['a recursive step over a long text', { t: 'a'.repeat(1_000_000) }, '..t', 1],
    ['a filter', { l: list(1_000) }, '.l[?(@.a>10)]', 989],
    ['a filter with recursive steps', { l: [nested(300), nested(300)] }, '.l[?(@..a..a..a..a)]', 0],
    ['a union', { a: nested(300), b: 1 }, "['a','b']..a..a..a", 0],
  ])('%s', (_, root, path, count) => {
    const budget = newPathBudget();
    const values = findJsonPath(root, parseJsonPath(path), budget);
    expect([values.length, budget.values > -700_000]).toEqual([count, true]);
  });

  it('reads nothing more once the budget is spent', () => {
    const budget = newPathBudget();
    expect(findJsonPath(nested(300), parseJsonPath('..a..a..a..a'), budget)).toEqual([]);
    expect(findJsonPath({ a: 1 }, parseJsonPath('.a'), budget)).toEqual([]);
    expect(findJsonPath({ a: 1 }, parseJsonPath('.a'))).toEqual([1]);
  });
});
