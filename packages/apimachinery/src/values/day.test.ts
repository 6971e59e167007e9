import { expect, it } from 'vitest';
import { formatDay, parseDay } from './day.js';

it.each([
  ['2026-03-04', Date.UTC(2026, 2, 4)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['0001-01-01', -62_135_596_800_000],
  ['2023-02-30', undefined],
  ['2023-13-01', undefined],
  ['2023-1-1', undefined],
  ['2023-01-31T00:00:00Z', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('parses %s', (text, day) => {
  expect(parseDay(text)).toBe(day);
});

it('formats the day in UTC', () => {
  expect(formatDay(Date.parse('2026-03-04T23:30:00-01:00'))).toBe('2026-03-05');
});
