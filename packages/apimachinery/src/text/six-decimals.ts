/** A number that is not negative, as Go's `%f` shows it: a tie between two texts goes to the even digit. */
export function sixDecimals(value: number): string {
  // Only odd multiples of 1/128 have a seventh decimal of 5 and no further one.
  const isTie = Math.abs((value * 128) % 2) === 1;
  const down = isTie ? value.toFixed(7).slice(0, -1) : '';
  return isTie && Number(down.at(-1)) % 2 === 0 ? down : value.toFixed(6);
}
