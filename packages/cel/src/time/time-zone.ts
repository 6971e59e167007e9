import { quote } from '@apiserver/apimachinery/text';
import { loadLocation } from '@apiserver/apimachinery/values';
import { EvaluationError, type Timestamp } from '../values/value.js';

/** Seconds east of UTC of an offset such as `-08:00`. */
function fixedOffset(zone: string): number | EvaluationError {
  const colon = zone.indexOf(':');
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?[0-9]+$/.test(part)) {
      return new EvaluationError(`strconv.Atoi: parsing ${quote(part)}: invalid syntax`);
    }
    if (part.length > MAX_DIGITS) {
      return new EvaluationError(`strconv.Atoi: parsing ${quote(part)}: value out of range`);
    }
  }
  const [hour, minute] = [Number(hours), Number(minutes)];
  return (zone.startsWith('-') ? hour * 60 - minute : hour * 60 + minute) * 60;
}

const MAX_DIGITS = 18;

/** 1800-01-01. Before it no zone changes, and Intl counts years by other calendars. */
const LOCAL_MEAN_TIME = -5_364_662_400;

/** Knows time zones. Making the clock of a zone takes long: it keeps them by the names of `Intl`, which are few. */
export class TimeZones {
  readonly #clocks = new Map<string, Intl.DateTimeFormat>();

  /** A moment in a time zone. Its UTC fields are those of the zone's clock. */
  at(time: Timestamp, zone: string): Date | EvaluationError {
    const offset = zone.includes(':') ? fixedOffset(zone) : this.#namedOffset(time, zone);
    return offset instanceof EvaluationError ? offset : new Date((time.seconds + offset) * 1000);
  }

  /** Seconds east of UTC of a zone such as `Europe/Berlin` at a moment. */
  #namedOffset(time: Timestamp, zone: string): number | EvaluationError {
    if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
    const clock = this.#clockOf(zone);
    return clock instanceof EvaluationError ? clock : offsetOf(clock, time);
  }

  /** Formats moments in a zone, which has many names. Those that clients make up are not kept. */
  #clockOf(name: string): Intl.DateTimeFormat | EvaluationError {
    const known = this.#clocks.get(name);
    if (known !== undefined) return known;
    const location = loadLocation(name);
    if ('fault' in location) return new EvaluationError(location.fault);
    const { zone } = location;
    const clock = this.#clocks.get(zone) ?? makeClock(zone);
    if (clock === undefined) return new EvaluationError(`unknown time zone ${name}`);
    this.#clocks.set(zone, clock);
    return clock;
  }
}

function offsetOf(clock: Intl.DateTimeFormat, time: Timestamp): number {
  const moment = Math.max(time.seconds, LOCAL_MEAN_TIME);
  const parts = new Map(clock.formatToParts(moment * 1000).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const local = new Date(0);
  local.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() / 1000 - moment;
}

/** Undefined for a zone that is newer than the tables of this process. */
function makeClock(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
