let second = -1;
let text = '';

/** The value of a Date header, computed once per second; `now` in milliseconds since the epoch. */
export function httpDate(now: number): string {
  const wanted = Math.floor(now / 1_000);
  if (wanted !== second) {
    second = wanted;
    text = new Date(now).toUTCString();
  }
  return text;
}
