/** The exponents of numbers that Go's `%g` prints without one. */
const PLAIN_EXPONENTS = { least: -4, most: 5 };

/** The first integer that Go's `%g` prints with an exponent. */
const FIRST_WITH_EXPONENT = 1_000_000;

/** A number as Go's `strconv.FormatFloat(x, 'g', -1, 64)` prints it. Negative zero is zero. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Number.isInteger(value) && Math.abs(value) < FIRST_WITH_EXPONENT) return String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= PLAIN_EXPONENTS.least && power <= PLAIN_EXPONENTS.most) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
