import { durationParts } from '../time/duration.js';
import { TimeZones } from '../time/time-zone.js';
import { type Implementations, implement } from '../values/implementation.js';
import { EvaluationError, type Result, type Timestamp } from '../values/value.js';

const DAY = 86_400_000;

/** Work of finding the offset of a named zone. */
const ZONE_WORK = 400;

/** Work of finding a part in UTC. */
const PART_WORK = 60;

/** The parts of a time by its clock, with the ids of their overloads. */
const PARTS: readonly { readonly id: string; readonly zoned: string; readonly part: PartOfClock }[] = [
  { id: 'timestamp_to_year', zoned: 'timestamp_to_year_with_tz', part: (clock) => clock.getUTCFullYear() },
  { id: 'timestamp_to_month', zoned: 'timestamp_to_month_with_tz', part: (clock) => clock.getUTCMonth() },
  { id: 'timestamp_to_day_of_year', zoned: 'timestamp_to_day_of_year_with_tz', part: dayOfYear },
  {
    id: 'timestamp_to_day_of_month',
    zoned: 'timestamp_to_day_of_month_with_tz',
    part: (clock) => clock.getUTCDate() - 1,
  },
  {
    id: 'timestamp_to_day_of_month_1_based',
    zoned: 'timestamp_to_day_of_month_1_based_with_tz',
    part: (clock) => clock.getUTCDate(),
  },
  { id: 'timestamp_to_day_of_week', zoned: 'timestamp_to_day_of_week_with_tz', part: (clock) => clock.getUTCDay() },
  { id: 'timestamp_to_hours', zoned: 'timestamp_to_hours_with_tz', part: (clock) => clock.getUTCHours() },
  { id: 'timestamp_to_minutes', zoned: 'timestamp_to_minutes_with_tz', part: (clock) => clock.getUTCMinutes() },
  { id: 'timestamp_to_seconds', zoned: 'timestamp_to_seconds_tz', part: (clock) => clock.getUTCSeconds() },
];

function dayOfYear(clock: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(clock.getUTCFullYear(), 0, 1);
  return Math.floor((clock.getTime() - start.getTime()) / DAY);
}

const milliseconds = (time: Timestamp): number => Math.floor(time.nanoseconds / 1_000_000);

type PartOfClock = (clock: Date) => number;

/** The parts of timestamps and durations. */
export function timeFunctions(): Implementations {
  const zones = new TimeZones();
  const partOf = (time: Timestamp, zone: string, part: PartOfClock): Result => {
    const clock = zones.at(time, zone);
    return clock instanceof EvaluationError ? clock : part(clock);
  };
  return {
    ...Object.fromEntries(
      PARTS.flatMap(({ id, zoned, part }) => [
        [id, implement(['timestamp'], (time) => partOf(time, 'UTC', part), undefined, PART_WORK)],
        [zoned, implement(['timestamp', 'string'], (time, zone) => partOf(time, zone, part), undefined, ZONE_WORK)],
      ]),
    ),
    timestamp_to_milliseconds: implement(['timestamp'], milliseconds),
    timestamp_to_milliseconds_with_tz: implement(
      ['timestamp', 'string'],
      (time, zone) => partOf(time, zone, () => milliseconds(time)),
      undefined,
      ZONE_WORK,
    ),
    duration_to_hours: implement(['duration'], durationParts.hours),
    duration_to_minutes: implement(['duration'], durationParts.minutes),
    duration_to_seconds: implement(['duration'], durationParts.seconds),
    duration_to_milliseconds: implement(['duration'], durationParts.milliseconds),
  };
}
