import { ParseError, trimSpace } from '@apiserver/apimachinery/text';
import { atoiFault, parseInt64 } from '@apiserver/apimachinery/values';

/** A range of `size` ports that starts at `base`. */
export interface PortRange {
  readonly base: number;
  readonly size: number;
}

const MAX_PORT = 65_535n;

/** Formats a range as upstream: `30000-32767`. */
export function formatPortRange({ base, size }: PortRange): string {
  return size === 0 ? '' : `${base}-${base + size - 1}`;
}

/**
 * Parses `30000-32767`, `30000+2767` or `30000`. An empty string is the empty range. Throws a ParseError with
 * upstream's text.
 * Upstream: PortRange.Set of k8s.io/apimachinery/pkg/util/net/port_range.go
 */
export function parsePortRange(value: string): PortRange {
  const text = trimSpace(value);
  if (text === '') return { base: 0, size: 0 };
  const [low = '', separator = '', high = ''] = partsOf(text);
  const base = parsePort(low);
  const end = separator === '' ? base : parsePort(high);
  const last = separator === '+' ? base + end : end;
  if (base > MAX_PORT || last > MAX_PORT) refuse(`the port range cannot be greater than ${MAX_PORT}: ${text}`);
  if (last < base) refuse(`end port cannot be less than start port: ${text}`);
  return { base: Number(base), size: Number(last - base) + 1 };
}

/** The first number, the first separator and all behind it. Throws a ParseError for a text with both separators. */
function partsOf(text: string): readonly string[] {
  if (text.includes('-') && text.includes('+')) refuse(`unable to parse port range: ${text}`);
  return /^([^-+]*)([-+]?)(.*)$/s.exec(text)?.slice(1) ?? [];
}

/** A number with an optional sign, in 64 bits. */
function parsePort(digits: string): bigint {
  return parseInt64(digits) ?? refuse(atoiFault(digits));
}

function refuse(message: string): never {
  throw new ParseError(message);
}
