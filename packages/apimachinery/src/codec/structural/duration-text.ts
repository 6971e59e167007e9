const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);
const UNIT_BEGINNINGS = /^(?:nano|micro|milli|sec|min|hour|day|week)/;
/** The greatest number of nanoseconds. */
const MAX = 9_223_372_036_854_775_807n;

/** Go's form, or any text with numbers that have units. Upstream: ParseDuration of strfmt */
export function isDurationText(text: string): boolean {
  return isGoDuration(text) || hasNumbersWithUnits(text);
}

/** Only from the first of a run of digits: starting at each of very many digits would take forever. */
function hasNumbersWithUnits(text: string): boolean {
  let found = false;
  for (const [, digits = '', unit = ''] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    if (isBeyondInt64(digits)) return false;
    const name = unit.toLowerCase();
    found ||= UNITS.has(name) || UNIT_BEGINNINGS.test(name);
  }
  return found;
}

function isBeyondInt64(digits: string): boolean {
  const significant = digits.replace(/^0+/, '');
  return significant.length > 19 || BigInt(significant) > MAX;
}

const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Upstream: ParseDuration of Go's time */
function isGoDuration(text: string): boolean {
  if (!GO_DURATION.test(text)) return false;
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)(?:\.(\d*))?([a-zµμ]+)/g)) {
    if (isBeyondInt64(whole) && !/^0*9223372036854775808$/.test(whole)) return false;
    const nanoseconds = NANOSECONDS[unit] ?? 0;
    sum += BigInt(whole) * BigInt(nanoseconds) + BigInt(Math.floor(Number(`0.${fraction}`) * nanoseconds));
    if (sum > MAX + 1n) return false;
  }
  return sum <= MAX || text.startsWith('-');
}
