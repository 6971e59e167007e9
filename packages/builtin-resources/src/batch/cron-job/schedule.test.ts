import { describe, expect, it } from 'vitest';
import { scheduleFault } from './schedule.js';

describe('scheduleFault', () => {
  it.each([
    '0 0 * * *',
    '*/5 1-3,7 ? jan-mar MON',
    '@hourly',
    '@every 1h30m',
    'TZ=UTC 0 0 * * *',
    'CRON_TZ= @daily',
    '5/10 * * * *',
    '0 0\u0085*\u2003* frİ',
  ])('accepts %j', (schedule) => expect(scheduleFault(schedule)).toBeUndefined());

  it.each([
    ['0 0 * *', 'expected exactly 5 fields, found 4: [0 0 * *]'],
    ['0 0 * *\ufeff*', 'expected exactly 5 fields, found 4: [0 0 * *\ufeff*]'],
    ['60 0 * * *', 'end of range (60) above maximum (59): 60'],
    ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x-2-3 * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    [
      '9223372036854775808 * * * *',
      'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
    ['9223372036854775807 * * * *', 'end of range (9223372036854775807) above maximum (59): 9223372036854775807'],
    ['*/-2 * * * *', 'negative number (-2) not allowed: -2'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 5x', 'failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['TZ=Moon 0 0 * * *', 'provided bad location Moon: unknown time zone Moon'],
    ['CRON_TZ=../x 0 0 * * *', 'provided bad location ../x: time: invalid location name'],
    ['TZ=UTC 0 0 * *', 'expected exactly 5 fields, found 4: [0 0 * *]'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('rejects %j', (schedule, fault) => expect(scheduleFault(schedule)).toBe(fault));

  it('reads a long number once', () => {
    expect(scheduleFault(`${'0'.repeat(300_000)}x * * * *`)).toMatch(/invalid syntax$/);
  });
});
