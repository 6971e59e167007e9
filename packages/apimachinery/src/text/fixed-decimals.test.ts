import { expect, it } from 'vitest';
import { fixedDecimals } from './fixed-decimals.js';

// As fmt.Sprintf("%.6f", …) and fmt.Sprintf("%.1f", …) of Go 1.26.
it.each([
  [0, 6, '0.000000'],
  [2, 6, '2.000000'],
  [4 / 3, 6, '1.333333'],
  [5 / 3, 6, '1.666667'],
  [129 / 128, 6, '1.007812'],
  [131 / 128, 6, '1.023438'],
  [1.0000005, 6, '1.000001'],
  [2 ** 60, 6, '1152921504606846976.000000'],
  [1.5, 1, '1.5'],
  [2.25, 1, '2.2'],
  [2.75, 1, '2.8'],
  [2.35, 1, '2.4'],
  [99.95, 1, '100.0'],
])('shows %d with %d decimals as %s', (value, digits, text) => {
  expect(fixedDecimals(value, digits)).toBe(text);
});
