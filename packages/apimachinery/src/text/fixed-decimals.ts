/**
 * A number that is not negative, as Go's `%.6f` shows it, or with another number of digits: a tie between two texts goes
 * to the even digit.
 */
export function fixedDecimals(value: number, digits: number): string {
  // Only odd multiples of this have one more decimal, a 5, and no further one.
  const isTie = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
  const down = isTie ? value.toFixed(digits + 1).slice(0, -1) : '';
  return isTie && Number(down.at(-1)) % 2 === 0 ? down : value.toFixed(digits);
}
