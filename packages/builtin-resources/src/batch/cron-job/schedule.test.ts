import { describe, expect, it } from 'vitest';
import { scheduleFault } from './schedule.js';

describe('scheduleFault', () => {
  it.each(['0 0 * * *', '*/5 1-3,7 ? jan-mar MON', '@hourly', '@every 1h30m', 'TZ=UTC 0 0 * * *', '5/10 * * * *'])(
    'accepts %j',
    (schedule) => expect(scheduleFault(schedule)).toBeUndefined(),
  );

  it.each([
    ['0 0 * *', 'expected exactly 5 fields, found 4: [0 0 * *]'],
    ['60 0 * * *', 'end of range (60) above maximum (59): 60'],
    ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('rejects %j', (schedule, fault) => expect(scheduleFault(schedule)).toBe(fault));
});
