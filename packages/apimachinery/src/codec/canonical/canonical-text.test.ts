import { expect, test } from 'vitest';
import { parseMicroTime, parseTime } from '../../values/time.js';
import { canonicalMicroTime, canonicalTime, isPlainTime } from './canonical-text.js';

const twoDigits = (number: number) => String(number).padStart(2, '0');
const numbers = (length: number) => Array.from({ length }, (_, number) => number);

/** Every month and day of a year, and some that do not exist. */
const datesOf = (year: number) =>
  numbers(14).flatMap((month) => numbers(33).map((day) => `${year}-${twoDigits(month)}-${twoDigits(day)}`));

const exists = (date: string) => {
  const moment = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date);
};

test.each([1999, 2024, 2026])('all days of %d are plain times, but not the 29th of February', (year) => {
  for (const date of datesOf(year)) {
    const isPlain = exists(date) && !date.endsWith('-02-29');
    expect([date, isPlainTime(`${date}T23:59:59Z`)]).toEqual([date, isPlain]);
  }
});

test.each(['2024-02-29T01:02:03', '2026-11-30T01:02:03'])('%s is canonical in both forms', (second) => {
  expect(canonicalTime(`${second}Z`)).toBe(parseTime(`${second}Z`));
  expect(canonicalTime(`${second}.5Z`)).toBe(`${second}Z`);
  expect(canonicalMicroTime(`${second}.012345Z`)).toBe(parseMicroTime(`${second}.012345Z`));
  expect(canonicalMicroTime(`${second}.012345+00:00`)).toBe(`${second}.012345Z`);
});

test.each(['2026-02-29T01:02:03.000000Z', '2026-11-30T24:02:03.000000Z', '2026-11-30T01:02:03.00000Z'])(
  '%s is no MicroTime',
  (text) => expect(() => canonicalMicroTime(text)).toThrow('parsing time'),
);

test('a second line is no part of a time', () => {
  expect(isPlainTime('2026-11-30T01:02:03Z\n')).toBe(false);
  expect(() => canonicalMicroTime('2026-11-30T01:02:03.000000Z\n')).toThrow('parsing time');
});

test.each(['9999-12-31T23:59:59.000000-01:00', '0000-01-01T00:00:00.000000+01:00'])(
  '%s is refused: its year in UTC has no four digits',
  (text) => {
    const fault = `parsing time "${text}": year outside of range [0,9999]`;
    expect(() => canonicalTime(text)).toThrow(fault);
    expect(() => canonicalMicroTime(text)).toThrow(fault);
  },
);

test('the first and the last year are times', () => {
  expect(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map(canonicalTime)).toEqual([
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ]);
});
