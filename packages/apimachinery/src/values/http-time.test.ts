import { expect, test } from 'vitest';
import { parseHttpTime } from './http-time.js';

const TIME = Date.UTC(1994, 10, 6, 8, 49, 37);

// The outcomes are those of Go's net/http.
test.each<[string, number | undefined]>([
  ['Sun, 06 Nov 1994 08:49:37 GMT', TIME],
  ['SUN,  06 NOV 1994 8:49:37 GMT', TIME],
  ['Mon, 06 Nov 1994 08:49:37 GMT', TIME],
  ['Sun, 06 Nov 1994 08:49:37.25 GMT', TIME + 250],
  ['Sunday, 06-Nov-94 08:49:37 GMT', TIME],
  ['Sunday, 06-Nov-94 08:49:37 CEST', TIME],
  ['Sunday, 06-Nov-94 08:49:37 GMT-13', TIME],
  ['Wednesday, 06-Nov-68 08:49:37 GMT', Date.UTC(2068, 10, 6, 8, 49, 37)],
  ['Thursday, 06-Nov-69 08:49:37 GMT', Date.UTC(1969, 10, 6, 8, 49, 37)],
  ['Sun Nov  6 08:49:37 1994', TIME],
  ['Sun Nov 06 08:49:37 1994', TIME],
  ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
  ['Thu, 01 Jan 0000 00:00:00 GMT', Date.UTC(-1, 12, 1)],
  ['Tue, 31 Feb 2026 00:00:00 GMT', undefined],
  ['Sun, 06 Nov 1994 24:49:37 GMT', undefined],
  ['Sun, 06 Nov 1994 08:49:37 UTC', undefined],
  ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
  ['Xyz, 06 Nov 1994 08:49:37 GMT', undefined],
  ['Sunday, 06-Nov-94 08:49:37 GMT+24', undefined],
  ['Sunday, 06-Nov-94 08:49:37 ABCD', undefined],
  ['1994-11-06T08:49:37Z', undefined],
  ['', undefined],
])('%s', (text, time) => {
  expect(parseHttpTime(text)).toBe(time);
});
