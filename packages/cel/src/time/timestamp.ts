import { INTEGER_OVERFLOW, TIMESTAMP_OVERFLOW } from '../values/errors.js';
import { inRange, SIGNED } from '../values/integer.js';
import { type Int, intOf } from '../values/number.js';
import { Duration, EvaluationError, Timestamp } from '../values/value.js';
import { parseCommonTime } from './common-time.js';
import { LAYOUTS, parseTime, TimeError } from './go-time.js';

const SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z. */
const MIN_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z. */
const MAX_SECONDS = 253_402_300_799;

/** A time by the layout of RFC 3339 as Go reads it; its parts may be out of range. */
const TIMESTAMP = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** Reads a time by RFC 3339; undefined for a wrong text. */
export function parseTimestamp(text: string): Timestamp | EvaluationError | undefined {
  const common = parseCommonTime(text);
  if (common !== undefined) return inYears(common.seconds) ? common : TIMESTAMP_OVERFLOW;
  if (!TIMESTAMP.test(text)) return undefined;
  try {
    const time = parseTime(LAYOUTS.rfc3339, text);
    return inYears(time.seconds) ? time : TIMESTAMP_OVERFLOW;
  } catch (error) {
    if (error instanceof TimeError) return undefined;
    throw error;
  }
}

const DATE_TIME_LAYOUTS = [
  LAYOUTS.rfc3339Micro,
  LAYOUTS.rfc3339Millis,
  LAYOUTS.rfc3339,
  LAYOUTS.rfc3339Nano,
  LAYOUTS.localTime,
];

/**
 * Reads a text of format date-time that `parseCommonTime` does not read. Throws a TimeError.
 *
 * Upstream: ParseDateTime in k8s.io/kube-openapi/pkg/validation/strfmt/time.go
 */
export function parseDateTime(text: string): Timestamp {
  if (text === '') return new Timestamp(0, 0);
  let last: unknown;
  for (const layout of DATE_TIME_LAYOUTS) {
    try {
      return parseTime(layout, text);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** The time of Unix seconds. */
export function timestampOfSeconds(seconds: Int): Timestamp | EvaluationError {
  return typeof seconds === 'number' && inYears(seconds) ? new Timestamp(seconds, 0) : TIMESTAMP_OVERFLOW;
}

function inYears(seconds: number): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

/** A time some nanoseconds later. */
export function addToTimestamp(time: Timestamp, nanoseconds: bigint): Timestamp | EvaluationError {
  const total = nanosecondsOf(time) + nanoseconds;
  const rest = ((total % SECOND) + SECOND) % SECOND;
  const seconds = Number((total - rest) / SECOND);
  return inYears(seconds) ? new Timestamp(seconds, Number(rest), time.offset) : TIMESTAMP_OVERFLOW;
}

/** The duration from one time to another. */
export function durationBetween(from: Timestamp, to: Timestamp): Duration | EvaluationError {
  const nanoseconds = inRange(nanosecondsOf(to) - nanosecondsOf(from), SIGNED);
  return nanoseconds instanceof EvaluationError ? INTEGER_OVERFLOW : new Duration(nanoseconds);
}

function nanosecondsOf({ seconds, nanoseconds }: Timestamp): bigint {
  return BigInt(seconds) * SECOND + BigInt(nanoseconds);
}

/** Seconds since 1970, as int. */
export function unixSeconds({ seconds }: Timestamp): Int {
  return intOf(BigInt(seconds));
}

/** A time by RFC 3339 in the zone that it was read in, with the digits of its nanoseconds that it needs. */
export function formatTimestamp({ seconds, nanoseconds, offset }: Timestamp): string {
  const local = new Date((seconds + offset) * 1000).toISOString();
  const whole = local.replace(/^\+0+(?=[0-9]{4})/, '').replace(/\.[0-9]{3}Z$/, '');
  const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
  return `${whole}${fraction}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}
