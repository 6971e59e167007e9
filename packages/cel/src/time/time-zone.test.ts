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

it('makes the clock of a zone once, whatever other names it is asked for', () => {
  const makes = vi.spyOn(Intl, 'DateTimeFormat');
  const zones = new TimeZones();
  const names = ['Europe/Berlin', ...Array.from({ length: 1_000 }, (_, i) => `Moon/${i}`), './Europe/Berlin'];
  for (const name of names) zones.at(new Timestamp(0, 0), name);
  zones.at(new Timestamp(0, 0), 'Europe/Berlin');
  expect(makes).toHaveBeenCalledTimes(1);
});
