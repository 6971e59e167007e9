/** A range of `size` ports that starts at `base`. */
export interface PortRange {
  readonly base: number;
  readonly size: number;
}

const MAX_PORT = 65_535;

/** Formats a range as upstream: `30000-32767`. */
export function formatPortRange({ base, size }: PortRange): string {
  return size === 0 ? '' : `${base}-${base + size - 1}`;
}

/**
 * Parses `30000-32767`, `30000+2767` or `30000`. An empty string is the empty range. Throws an Error with upstream's
 * message.
 * Upstream: PortRange.Set of k8s.io/apimachinery/pkg/util/net/port_range.go
 */
export function parsePortRange(value: string): PortRange {
  const text = value.trim();
  if (text === '') return { base: 0, size: 0 };
  const [, low = '', separator = '', high = ''] = /^([^-+]*)([-+]?)(.*)$/.exec(text) ?? [];
  const base = parsePort(low, text);
  const end = separator === '' ? base : parsePort(high, text);
  const last = separator === '+' ? base + end : end;
  if (base > MAX_PORT || last > MAX_PORT) throw new Error(`the port range cannot be greater than ${MAX_PORT}: ${text}`);
  if (last < base) throw new Error(`end port cannot be less than start port: ${text}`);
  return { base, size: last - base + 1 };
}

function parsePort(digits: string, text: string): number {
  if (!/^[0-9]+$/.test(digits)) throw new Error(`unable to parse port range: ${text}`);
  return Number(digits);
}
