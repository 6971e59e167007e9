import { ParseError, quote } from '@apiserver/apimachinery/text';
import { parseDuration } from '@apiserver/apimachinery/values';

/** Maximum number of characters. Upstream has no limit, and adds up any number of units. */
const MAX_LENGTH = 4_096;

/** Nanoseconds of a millisecond. */
const MILLISECOND = 1e6;

/**
 * Parses a duration in Go's format ("1m30s", "300ms", "-1.5h", "0") and returns milliseconds. Throws a ParseError with
 * Go's text (`time: invalid duration "x"`), because it is shown after a flag or a query parameter.
 * Upstream: time.ParseDuration
 */
export function parseGoDuration(text: string): number {
  if (text.length > MAX_LENGTH) throw new ParseError(`time: invalid duration ${quote(text)}`);
  return Number(parseDuration(text)) / MILLISECOND;
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
