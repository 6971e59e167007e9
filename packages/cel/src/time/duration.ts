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

const SIMPLE_UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: MICROSECOND,
  ms: MILLISECOND,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
};

/** A duration of one unit that is small enough for a number. */
const SIMPLE = /^([0-9]{1,3})(ns|us|ms|s|m|h)$/;

/** More characters than the longest duration needs; longer ones with leading zeros are refused. */
const LONGEST = 1024;

/** Reads a duration such as `1h30m` as Go's `time.ParseDuration` does; undefined for a wrong text or one out of range. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return new Duration(0);
  if (rest === '' || rest.length > LONGEST) return undefined;
  const simple = SIMPLE.exec(rest);
  const simpleUnit = simple === null ? undefined : SIMPLE_UNITS[simple[2] ?? ''];
  if (simple !== null && simpleUnit !== undefined) {
    const size = Number(simple[1]) * Number(simpleUnit);
    return new Duration(sign === '-' ? 0 - size : size);
  }
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
 * Reads a text of format duration, which knows names of units such as `2 days` besides.
 *
 * Upstream: ParseDuration in k8s.io/kube-openapi/pkg/validation/strfmt/duration.go
 */
export function parseFormattedDuration(text: string): Duration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, , factor = '', unit = ''] of text.matchAll(/((\d+)\s*([A-Za-zµ]+))/g)) {
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
  milliseconds: (duration: Duration) => wholeUnits(duration, MILLISECOND),
};

function wholeUnits({ nanoseconds }: Duration, unit: bigint): Int {
  return intOf(BigInt(nanoseconds) / unit);
}
