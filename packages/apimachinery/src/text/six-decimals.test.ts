import { expect, it } from 'vitest';
import { sixDecimals } from './six-decimals.js';

// As fmt.Sprintf("%f", …) of Go 1.26.
it.each([
  [0, '0.000000'],
  [2, '2.000000'],
  [4 / 3, '1.333333'],
  [5 / 3, '1.666667'],
  [129 / 128, '1.007812'],
  [131 / 128, '1.023438'],
  [1.0000005, '1.000001'],
  [2 ** 60, '1152921504606846976.000000'],
])('shows %d as %s', (value, text) => {
  expect(sixDecimals(value)).toBe(text);
});
