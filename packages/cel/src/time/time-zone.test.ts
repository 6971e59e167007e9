import { afterEach, expect, it, vi } from 'vitest';
import { Timestamp } from '../values/value.js';
import { TimeZones } from './time-zone.js';

afterEach(() => vi.restoreAllMocks());

it('does not know a zone that the tables of this process lack', () => {
  vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function unknown() {
    throw new RangeError('Invalid time zone specified: America/Coyhaique');
  });
  const outcome = new TimeZones().at(new Timestamp(0, 0), 'America/Coyhaique');
  expect(outcome).toMatchObject({ message: 'unknown time zone America/Coyhaique' });
});
