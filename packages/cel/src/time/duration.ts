import { isParseError } from '@apiserver/apimachinery/text';
import { parseDuration as parseGoDuration } from '@apiserver/apimachinery/values';
import { formatPlain } from '../values/go-number.js';
import { type Int, intOf } from '../values/number.js';
import { Duration } from '../values/value.js';

const MICROSECOND = 1_000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;

/** Nearly all durations: whole numbers from hours to milliseconds, whose sum is small enough for a number. */
const SIMPLE = /^([+-]?)(?=[0-9])(?:([0-9]{1,3})h)?(?:([0-9]{1,4})m)?(?:([0-9]{1,5})s)?(?:([0-9]{1,6})ms)?$/;

/** More characters than the longest duration needs; longer ones with leading zeros are refused. */
const LONGEST = 1024;

/** Reads nearly all durations; undefined for other texts, right or wrong. */
export function parseSimpleDuration(text: string): Duration | undefined {
  const simple = SIMPLE.exec(text);
  if (simple === null) return undefined;
  const [, sign, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = simple;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e9 + Number(milliseconds) * 1e6;
  return new Duration(sign === '-' ? 0 - size : size);
}

/**
 * Reads a duration such as `1h30m` as Go's `time.ParseDuration` does; undefined for a wrong text or one out of range.
 */
export function parseDuration(text: string): Duration | undefined {
  const simple = parseSimpleDuration(text);
  if (simple !== undefined) return simple;
  if (text.length > LONGEST) return undefined;
  try {
    return new Duration(intOf(parseGoDuration(text)));
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

const VERBOSE_UNITS: readonly { readonly names: readonly string[]; readonly scale: bigint }[] = [
  { names: ['ns', 'nano'], scale: 1n },
  { names: ['us', 'µs', 'micro'], scale: MICROSECOND },
  { names: ['ms', 'milli'], scale: MILLISECOND },
  { names: ['s', 'sec'], scale: SECOND },
  { names: ['m', 'min'], scale: MINUTE },
  { names: ['h', 'hr', 'hour'], scale: HOUR },
  { names: ['d', 'day'], scale: DAY },
  { names: ['w', 'wk', 'week'], scale: 7n * DAY },
];

/**
 * Reads a text of format duration. It also takes names of units, such as `2 days`.
 *
 * Upstream: ParseDuration in k8s.io/kube-openapi/pkg/validation/strfmt/duration.go
 */
export function parseFormattedDuration(text: string): Duration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  // Only from the first of a run of digits: starting at each of very many digits would take forever.
  for (const [, factor = '', unit = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const scale = verboseScale(unit.toLowerCase());
    if (scale !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(factor) * scale);
  }
  return total === undefined ? undefined : new Duration(intOf(total));
}

function verboseScale(unit: string): bigint | undefined {
  return VERBOSE_UNITS.find(({ names }) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))?.scale;
}

/** A duration as `string` prints it: in seconds. */
export function formatDuration({ nanoseconds }: Duration): string {
  return `${formatPlain(secondsOf(nanoseconds))}s`;
}

/** Seconds as Go computes them: whole seconds and the rest are converted each. */
function secondsOf(nanoseconds: Int): number {
  const exact = BigInt(nanoseconds);
  return Number(exact / SECOND) + Number(exact % SECOND) / 1e9;
}

/** Whole hours, minutes, seconds or milliseconds of a duration. */
export const durationParts = {
  hours: (duration: Duration) => wholeUnits(duration, HOUR),
  minutes: (duration: Duration) => wholeUnits(duration, MINUTE),
  seconds: (duration: Duration) => wholeUnits(duration, SECOND),
  milliseconds: ({ nanoseconds }: Duration) => intOf(BigInt(nanoseconds) / MILLISECOND),
};

/** Go adds whole units and the rest as doubles, whose sum may be rounded up. No integer is -0. */
function wholeUnits({ nanoseconds }: Duration, unit: bigint): Int {
  const all = BigInt(nanoseconds);
  return Math.trunc(Number(all / unit) + Number(all % unit) / Number(unit)) + 0;
}
