const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SHORT_DAYS = DAYS.map((day) => day.slice(0, 3));
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CLOCK = String.raw`(?<hour>\d\d?):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d+))?`;
/** Go takes the name of any zone for that of UTC, unless the zone is the machine's. */
const OFFSET = String.raw`[+-]0*(?:1?\d|2[0-3])`;
const ZONE = `(?:UTC|GMT|GMT${OFFSET}|(?=...)${OFFSET}|ChST|MeST|WITA|(?!UTC|GMT)[A-Z]{3}(?:[A-Z]?T)?)`;

/** The three forms, with the names of days in each. */
const FORMS: readonly (readonly [form: RegExp, days: readonly string[]])[] = [
  [
    new RegExp(`^(?<name>[A-Za-z]{3}), +(?<day>\\d\\d) +(?<month>[A-Za-z]{3}) +(?<year>\\d{4}) +${CLOCK} +GMT$`),
    SHORT_DAYS,
  ],
  [
    new RegExp(
      `^(?<name>[A-Za-z]{6,9}), +(?<day>\\d\\d)-(?<month>[A-Za-z]{3})-(?<year>[+\\-\\d]\\d) +${CLOCK} +${ZONE}$`,
    ),
    DAYS,
  ],
  [new RegExp(`^(?<name>[A-Za-z]{3}) +(?<month>[A-Za-z]{3}) +(?<day>\\d\\d?) +${CLOCK} +(?<year>\\d{4})$`), SHORT_DAYS],
];

/** Longest text that is read. */
const MAX_LENGTH = 256;
/** The first year of two digits of the century before. */
const PIVOT = 69;

/**
 * A time in one of the three forms of HTTP, as milliseconds since the epoch; undefined for other texts. The name of the
 * day counts for nothing.
 *
 * Upstream: ParseTime in Go's net/http
 */
export function parseHttpTime(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  for (const [form, days] of FORMS) {
    const fields = form.exec(text)?.groups;
    const time = fields && days.includes((fields['name'] ?? '').toLowerCase()) ? timeOf(fields) : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

function timeOf(fields: Readonly<Record<string, string>>): number | undefined {
  const number = (name: string) => Number(fields[name]);
  const month = MONTHS.indexOf((fields['month'] ?? '').toLowerCase());
  const [day, hour, minute, second] = [number('day'), number('hour'), number('minute'), number('second')];
  if (month < 0 || hour > 23 || minute > 59 || second > 59) return undefined;
  const time = new Date(0);
  time.setUTCFullYear(fullYear(fields['year'] ?? ''), month, day);
  if (time.getUTCMonth() !== month || time.getUTCDate() !== day) return undefined;
  return time.setUTCHours(hour, minute, second, Math.floor(Number(`0.${fields['fraction'] ?? 0}`) * 1_000));
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year + (year >= PIVOT ? 1900 : 2000);
}
