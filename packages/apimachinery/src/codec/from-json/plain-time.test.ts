import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainSeconds } from './plain-time.js';

const secondsOf = (text: string) => plainSeconds(Buffer.from(text), 0);

test('seconds of a time are those of the calendar', () => {
  const seconds = fc.integer({ min: Date.UTC(1000, 0) / 1000, max: Date.UTC(3000, 0) / 1000 - 1 });
  fc.assert(
    fc.property(seconds, (expected) => {
      const text = new Date(expected * 1000).toISOString();
      expect(secondsOf(text)).toBe(text.includes('-02-29T') ? Number.NaN : expected);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  '',
  '2026-01-02',
  '0999-01-02T03:04:05',
  '3000-01-02T03:04:05',
  '2026-00-02T03:04:05',
  '2026-13-02T03:04:05',
  '2026-01-00T03:04:05',
  '2026-04-31T03:04:05',
  '2026-01-02T24:04:05',
  '2026-01-02T03:60:05',
  '2026-01-02T03:04:60',
  '2026-01-02 03:04:05',
  '2026/01-02T03:04:05',
  '2026-01/02T03:04:05',
  '2026-01-02T03.04:05',
  '2026-01-02T03:04.05',
  '2026-01-02T03:04:0x',
  '-026-01-02T03:04:05',
])('"%s" is left to the decoder', (text) => expect(secondsOf(text)).toBe(Number.NaN));
