import { expect, test } from 'vitest';
import { evaluateText } from '../testing/evaluate-text.js';

test.each([
  ['quantity("1E3").add(quantity("0.5"))', '1000500e-3', 3],
  ['quantity("0").sub(-7)', '7', 2],
  ['quantity("5").sub(-9223372036854775808)', '-9223372036854775803', 2],
  ['quantity("1").sub(quantity("0").sub(-9223372036854775808))', '-9223372036854775807', 4],
  ['quantity("0").sub(-9223372036854775808)', '-9223372036854775808', 2],
  ['quantity("-1").sub(-9223372036854775808)', '9223372036854775807', 2],
  ['quantity("-1").sub(-9223372036854775808).isInteger()', 'false', 3],
  ['quantity("100m").sub(-9223372036854775808)', '9223372036854775808100m', 2],
  ['quantity("1u").add(9223372036854775807)', '9223372036854775807000001u', 2],
  ['quantity("50k").sub(20000) == quantity("30k")', 'true', 4],
  // Upstream holds a sum behind a pointer, and compares it with nothing on its left.
  ['quantity("30k") == quantity("50k").sub(20000)', 'error: no such overload', 4],
  ['dyn(quantity("1")).map(x, x)', "error: got 'cel.Quantity', expected iterable type", 2],
  ['dyn(quantity("1").add(1)).map(x, x)', "error: got '*cel.Quantity', expected iterable type", 3],
  ['quantity("1000m").isInteger()', 'false', 2],
  ['quantity("1Ei").isInteger()', 'false', 2],
  ['quantity("1Pi").asInteger()', 'error: cannot convert value to integer', 2],
  ['quantity("9223372036854775807").isInteger()', 'false', 3],
  ['quantity("922337203685477580").add(8301034833169298227).asInteger()', '9223372036854775807', 4],
  ['quantity("922337203685477580").add(8301034833169298228).asInteger()', 'error: cannot convert value to integer', 4],
  ['quantity("100m").asApproximateFloat()', '0.1', 2],
  ['quantity("-5858.7543194Ei").add(-6095543782690169886).asApproximateFloat()', '-1.5318915819544947e+19', 4],
  ['sign(quantity("-1"))', '-1', 2],
  ['quantity("Ei")', 'error: unable to parse numeric part of quantity', 1],
  ['quantity("Ki")', '0', 1],
  [
    'quantity("1KiB")',
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    1,
  ],
  ['quantity("1e99999999").add(1)', 'error: a sum of quantities with 100000019 digits is too long', 2],
  ['quantity("1e99999999").isGreaterThan(quantity("1"))', 'true', 3],
  ['isQuantity("1 Ki")', 'false', 1],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
