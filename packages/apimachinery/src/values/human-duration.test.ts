import { expect, it } from 'vitest';
import { humanDuration } from './human-duration.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

it.each([
  [-3, '<invalid>'],
  [-1.9, '0s'],
  [0, '0s'],
  [119, '119s'],
  [2 * MINUTE, '2m'],
  [9 * MINUTE + 59, '9m59s'],
  [10 * MINUTE + 59, '10m'],
  [3 * HOUR - 1, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [8 * HOUR + 30 * MINUTE, '8h'],
  [47 * HOUR, '47h'],
  [2 * DAY, '2d'],
  [7 * DAY + 23 * HOUR, '7d23h'],
  [8 * DAY + HOUR, '8d'],
  [2 * YEAR - 1, '729d'],
  [2 * YEAR, '2y'],
  [7 * YEAR + 364 * DAY, '7y364d'],
  [9 * YEAR + 200 * DAY, '9y'],
  [2000 * YEAR, '292y'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});
