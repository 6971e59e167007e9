import { quote } from '@apiserver/apimachinery/text';

/** A field of a schedule: its minimum, its maximum, and names of values. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';
const DURATION = /^[+-]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const TIME_ZONE = /^(?:TZ|CRON_TZ)=(\S*)\s+(.*)$/;

/** The fault of a schedule; undefined if it is valid. Upstream: ParseStandard of github.com/robfig/cron/v3 */
export function scheduleFault(text: string): string | undefined {
  if (text === '') return 'empty spec string';
  const zoned = TIME_ZONE.exec(text);
  const schedule = (zoned?.[2] ?? text).trim();
  if (schedule.startsWith('@')) return descriptorFault(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
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
  const duration = text.slice(EVERY.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${quote(duration)}`;
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
    if (moreLimits.length > 0) return `too many hyphens: ${text}`;
    const limits = [low, high ?? low].map((limit) => parsedValue(limit, field));
    const fault = limits.find((limit) => typeof limit === 'string');
    if (fault !== undefined) return String(fault);
    [start, end] = limits.map(Number) as [number, number];
  }
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1 : parsedValue(stepText);
  if (typeof step === 'string') return step;
  if (stepText !== undefined && high === undefined) end = field.max;
  return limitsFault({ start, end, step }, field, text);
}

function limitsFault(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  { min, max }: Field,
  text: string,
): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** A number or a name; a string if it is neither. */
function parsedValue(text: string, { min, names = [] }: Pick<Field, 'min' | 'names'> = { min: 0 }): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
