import { expect, it } from 'vitest';
import { formatGoValue, goTypeOf } from './go-value.js';

it.each([
  [2 ** 53, '9.007199254740992e+15', 'float64'],
  [2n ** 63n - 1n, '9223372036854775807', 'int64'],
  [-(2n ** 63n), '-9223372036854775808', 'int64'],
  [2n ** 63n, '9.223372036854776e+18', 'float64'],
  [1_000_000, '1000000', 'int64'],
  [1_000_000.5, '1.0000005e+06', 'float64'],
])('%s is printed as %s of the type %s', (value, text, type) => {
  expect([formatGoValue(value), goTypeOf(value)]).toEqual([text, type]);
});
