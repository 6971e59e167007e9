import { expect, test } from 'vitest';
import { Duration } from '../values/value.js';
import { durationParts, parseDuration, parseFormattedDuration } from './duration.js';

test.each<[string, number | bigint | undefined]>([
  ['0', 0],
  ['1h2m3s4ms', 3_723_004_000_000],
  ['-999h9999m99999s999999ms', -4_297_338_999_000_000],
  ['5ms', 5_000_000],
  ['2m5ms', 120_005_000_000],
  ['-0', 0],
  ['15m', 900_000_000_000],
  ['-15m', -900_000_000_000],
  ['0.3333333333333333333h', 1_200_000_000_000],
  ['1.7777777777777777777h', 6_400_000_000_000],
  ['1.5h30m', 7_200_000_000_000],
  ['-.5s', -500_000_000],
  ['1.h', 3_600_000_000_000],
  ['+1us', 1_000],
  ['3µs', 3_000],
  ['-9223372036854775808ns', -9_223_372_036_854_775_808n],
  ['9223372036854775808ns', undefined],
  ['100000000000000000000s', undefined],
  ['.s', undefined],
  ['5', undefined],
  ['', undefined],
  ['1h-5m', undefined],
  [`${'0'.repeat(1_100)}1s`, undefined],
])('%s is the duration that Go reads', (text, nanoseconds) => {
  expect(parseDuration(text)).toEqual(nanoseconds === undefined ? undefined : new Duration(nanoseconds));
});

test.each<[string, number | undefined]>([
  ['2 days', 172_800_000_000_000],
  ['12x3s', 3_000_000_000],
  ['days', undefined],
  [`1s${'9'.repeat(1_000_000)}`, 1_000_000_000],
])('parses the format duration of %.20s', (text, nanoseconds) => {
  expect(parseFormattedDuration(text)).toEqual(nanoseconds === undefined ? undefined : new Duration(nanoseconds));
});

test.each([
  [-1_500_000_000, { hours: 0, minutes: 0, seconds: -1, milliseconds: -1_500 }],
  [-1, { hours: 0, minutes: 0, seconds: 0, milliseconds: 0 }],
  [3_723_004_000_000, { hours: 1, minutes: 62, seconds: 3_723, milliseconds: 3_723_004 }],
])('%d ns in whole units', (nanoseconds, parts) => {
  const duration = new Duration(nanoseconds);
  const { hours, minutes, seconds, milliseconds } = durationParts;
  expect({
    hours: hours(duration),
    minutes: minutes(duration),
    seconds: seconds(duration),
    milliseconds: milliseconds(duration),
  }).toEqual(parts);
});
