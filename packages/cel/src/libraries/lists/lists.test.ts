import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';
import { ruleOutcome } from '../../testing/rule-outcome.js';

test.each([
  ['[3, 1, 2].sort()', '[1, 2, 3]', 29],
  ['[dyn(3), dyn(1)].sort()', '[1, 3]', 1],
  ['[dyn(1), dyn(1u)].sort()', 'error: list elements must have the same type', 1],
  ['[dyn(null)].sort()', 'error: list elements must be comparable', 1],
  ['[1.0, 0.0 / 0.0, -1.0].sort()', '[1, NaN, -1]', 40],
  ['[9, 3, 5, 1, 12, 7, 2, 4, 8, 6, 11, 10, 100].sort()', '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100]', 349],
  [
    '["i", "c", "e", "a", "l", "g", "b", "d", "h", "f", "k", "j", "\\uffff", "😀"].sort() == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "\\uffff", "😀"]',
    'true',
    424,
  ],
  ['["b", "a"].sort()', '[a, b]', 19],
  ['[1, 2, 3].sortBy(x, -x)', '[3, 2, 1]', 74],
  ['[1, 2, 3, 4].slice(1, 3)', '[2, 3]', 13],
  ['[1].slice(-1, 1)', 'error: cannot slice(-1, 1), negative indexes not supported', 12],
  ['[1].slice(1, 0)', 'error: cannot slice(1, 0), start index must be less than or equal to end index', 12],
  ['[1].slice(0, 2)', 'error: cannot slice(0, 2), list is length 1', 12],
  ['[1, 2, 3].reverse()', '[3, 2, 1]', 14],
  ['[[1], [2]].flatten()', '[1, 2]', 13],
  ['[dyn(1), dyn([dyn(2), dyn([dyn(3), dyn([4])])])].flatten(2)', '[1, 2, 3, [4]]', 15],
  ['[1, 2, 3].flatten(-1)', 'error: level must be non-negative', 8],
  ['dyn(1).flatten()', 'error: no such overload: int.flatten()', 12],
  ['[dyn(1), dyn(1u), dyn(1.0), dyn("1"), dyn([1]), dyn([1.0])].distinct()', '[1, 1, [1]]', 83],
  ['lists.range(3)', '[0, 1, 2]', 14],
  ['lists.range(-3)', '[]', 11],
  ['[1, 2].sum()', '3', 2],
  ['[9223372036854775807, 1].sum()', 'error: integer overflow', 2],
  ['[dyn(1), dyn(1.0)].sum()', 'error: no such overload', 2],
  ['[duration("1s"), duration("1m")].sum()', '1m1s', 2],
  ['[dyn(duration("1s")), dyn(timestamp("2020-01-01T00:00:00Z"))].sum()', '2020-01-01 00:00:01 +0000 UTC', 2],
  ['[].max()', 'error: max called on empty list', 0],
  ['[dyn(1), dyn(3.0), dyn(2u)].max()', '3', 3],
  ['["b", "ab"].min()', 'ab', 0],
  ['[1, 2, 2].isSorted()', 'true', 3],
  ['[dyn(1), dyn(null)].isSorted()', 'error: no such overload', 2],
  ['["a", "b", "a"].indexOf("c") + ["a", "b", "a"].lastIndexOf("a")', '1', 1],
  ['sets.contains([dyn(1), dyn(2u)], [dyn(2.0)])', 'true', 3],
  ['sets.equivalent([1, 1], [1])', 'true', 5],
  ['sets.intersects([1, 2], [3, 2])', 'true', 5],
  ['{1: 2}.transformMap(k, v, v + 1)', '{1: 3}', 6],
  ['{1: 2}.transformMapEntry(k, v, {v: k})', '{2: 1}', 35],
  ['[1, 2].transformMapEntry(k, v, {"a": v})', 'error: insert failed: key a already exists', 67],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});

const list = (format: string) => ({ type: 'array', items: { type: 'string', format } });
const schema = { type: 'object', properties: { dates: list('date'), times: list('duration') } };
const self = { dates: ['2024-01-02', 'x'], times: ['1s', 'x'] };
const BAD_DATE = 'Invalid date formatted string x: parsing time "x" as "2006-01-02": cannot parse "x" as "2006"';
const BAD_TIME = 'Invalid duration x: unable to parse x as duration';

test.each([
  ['self.dates.isSorted()', BAD_DATE],
  ['self.dates.max()', BAD_DATE],
  ['self.times.min()', BAD_TIME],
  ['self.times.sum()', BAD_TIME],
])('%s has the error of an invalid element', (expression, error) => {
  expect(ruleOutcome({ schema, expression, self })).toMatchObject({ error });
});
