import { isParseError, lowerCase, quote, splitSpace, trimSpace } from '@apiserver/apimachinery/text';
import { parseDuration } from '@apiserver/apimachinery/values';
import { parseInt64 } from '../../text/int64.js';
import { locationFault } from './time-zone.js';

/** A field of a schedule: its minimum, its maximum, and names of values. */
interface Field {
  readonly min: bigint;
  readonly max: bigint;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0n, max: 59n },
  { min: 0n, max: 23n },
  { min: 1n, max: 31n },
  { min: 1n, max: 12n, names: MONTHS },
  { min: 0n, max: 6n, names: DAYS },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';
const ZONE_PREFIX = /^(?:TZ|CRON_TZ)=/;

/**
 * The fault of a schedule; undefined if it is valid.
 * Upstream: ParseCronScheduleWithPanicRecovery of pkg/util/parsers, and ParseStandard of github.com/robfig/cron/v3
 */
export function scheduleFault(text: string): string | undefined {
  if (text === '') return 'empty spec string';
  const prefix = ZONE_PREFIX.exec(text)?.[0];
  return prefix === undefined ? timesFault(text) : zonedFault(text, prefix.length);
}

function zonedFault(text: string, start: number): string | undefined {
  const end = text.indexOf(' ');
  // The parser panics, as upstream's; the error is that of the panic.
  if (end < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
  const zone = text.slice(start, end);
  const fault = locationFault(zone);
  return fault === undefined ? timesFault(trimSpace(text.slice(end))) : `provided bad location ${zone}: ${fault}`;
}

function timesFault(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorFault(schedule);
  const parts = splitSpace(schedule);
  if (parts.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [i, part] of parts.entries()) {
    const field = FIELDS[i];
    const fault = field === undefined ? undefined : fieldFault(part, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function descriptorFault(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  try {
    parseDuration(text.slice(EVERY.length));
    return undefined;
  } catch (error) {
    if (isParseError(error)) return `failed to parse duration ${text}: ${error.message}`;
    throw error;
  }
}

function fieldFault(text: string, field: Field): string | undefined {
  // A schedule may repeat a range a million times.
  for (const range of new Set(text.split(','))) {
    const fault = range === '' ? undefined : rangeFault(range, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function rangeFault(text: string, field: Field): string | undefined {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreLimits] = range.split('-');
  let [start, end] = [field.min, field.max];
  if (low !== '*' && low !== '?') {
    const first = parsedValue(low, field);
    if (typeof first === 'string') return first;
    if (moreLimits.length > 0) return `too many hyphens: ${text}`;
    const last = parsedValue(high ?? low, field);
    if (typeof last === 'string') return last;
    [start, end] = [first, last];
  }
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1n : parsedValue(stepText);
  if (typeof step === 'string') return step;
  if (stepText !== undefined && high === undefined) end = field.max;
  return limitsFault({ start, end, step }, field, text);
}

function limitsFault(
  { start, end, step }: { readonly start: bigint; readonly end: bigint; readonly step: bigint },
  { min, max }: Field,
  text: string,
): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0n ? `step of range should be a positive number: ${text}` : undefined;
}

/** A number or a name; a string if it is neither. Upstream: strconv.Atoi, with 64 bits */
function parsedValue(text: string, { min, names = [] }: Pick<Field, 'min' | 'names'> = { min: 0n }): bigint | string {
  const named = names.indexOf(lowerCase(text));
  if (named >= 0) return BigInt(named) + min;
  const value = parseInt64(text);
  if (typeof value === 'string') {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${value}`;
  }
  return value < 0n ? `negative number (${value}) not allowed: ${text}` : value;
}
