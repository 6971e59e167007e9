import { quote } from '@apiserver/apimachinery/text';

/** Maximum number of characters. Upstream has no limit, and adds up any number of units. */
const LONGEST = 4_096;

const unitMilliseconds: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const TERM = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;

/**
 * Parses a duration in Go's format ("1m30s", "300ms", "-1.5h", "0") and returns milliseconds. Throws an Error with Go's
 * text (`time: invalid duration "x"`), because it is shown after a flag or a query parameter.
 * Upstream: time.ParseDuration
 */
export function parseGoDuration(text: string): number {
  const negative = text.startsWith('-');
  const start = negative || text.startsWith('+') ? 1 : 0;
  if (text.length > LONGEST) throw invalidDuration(text);
  if (text.length === start + 1 && text.endsWith('0')) return 0;
  if (text.length === start) throw invalidDuration(text);
  let total = 0;
  TERM.lastIndex = start;
  while (TERM.lastIndex < text.length) {
    const [, integer = '', fraction = '', unit = ''] = TERM.exec(text) ?? [];
    if (integer === '' && fraction === '') throw invalidDuration(text);
    if (unit === '') throw new Error(`time: missing unit in duration ${quote(text)}`);
    const scale = unitMilliseconds.get(unit);
    if (scale === undefined) {
      throw new Error(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    }
    total += Number(`${integer || '0'}.${fraction || '0'}`) * scale;
  }
  // Go refuses more than 63 bits of nanoseconds.
  if (total * 1e6 > 2 ** 63) throw invalidDuration(text);
  return negative ? -total : total;
}

function invalidDuration(text: string): Error {
  return new Error(`time: invalid duration ${quote(text)}`);
}

/** Writes milliseconds as Go prints a time.Duration: "1m0s", "1.5s", "300ms", "0s". */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  const nanoseconds = Math.round(Math.abs(milliseconds) * 1e6);
  if (nanoseconds < 1e9) return sign + belowOneSecond(nanoseconds);
  const hours = Math.floor(nanoseconds / 3.6e12);
  const minutes = Math.floor((nanoseconds % 3.6e12) / 6e10);
  const seconds = (nanoseconds % 6e10) / 1e9;
  const h = hours > 0 ? `${hours}h` : '';
  const m = hours > 0 || minutes > 0 ? `${minutes}m` : '';
  return `${sign}${h}${m}${trimZeros(seconds.toFixed(9))}s`;
}

function belowOneSecond(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${trimZeros((nanoseconds / 1e3).toFixed(3))}µs`;
  return `${trimZeros((nanoseconds / 1e6).toFixed(6))}ms`;
}

function trimZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
