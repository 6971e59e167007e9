/** A parsed IP address. */
export interface IPAddress {
  /** 4 or 16 bytes. An IPv4-mapped IPv6 address has 4: it is the IPv4 address. */
  readonly bytes: readonly number[];
  /** True for an IPv4 address in IPv6 form (`::ffff:1.2.3.4`). */
  readonly mapped: boolean;
  /** True if a number has more leading zeros than current parsers accept (`010.1.2.3`). */
  readonly leadingZeros: boolean;
}

const DOT = 0x2e;
const DIGIT_ZERO = 0x30;

interface Parsed {
  readonly bytes: number[];
  readonly leadingZeros: boolean;
}

/**
 * Parses an IP address as leniently as upstream: leading zeros are ignored. Undefined for an invalid address, or one
 * with a zone.
 * Upstream: ParseIPSloppy of k8s.io/utils/net
 */
export function parseIPAddress(text: string): IPAddress | undefined {
  const v4 = parseIPv4(text);
  if (v4 !== undefined) return { ...v4, mapped: false };
  const v6 = parseIPv6(text);
  if (v6 === undefined) return undefined;
  const mapped = isMapped(v6.bytes);
  return { ...v6, mapped, bytes: mapped ? v6.bytes.slice(12) : v6.bytes };
}

/** The canonical form of an address: dotted for 4 bytes, RFC 5952 for 16. */
export function formatIPAddress(bytes: readonly number[]): string {
  return bytes.length === 4 ? bytes.join('.') : formatIPv6(bytes);
}

function parseIPv4(text: string): Parsed | undefined {
  const bytes: number[] = [];
  let leadingZeros = false;
  let byte = 0;
  let digits = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : DOT;
    if (code === DOT) {
      if (digits === 0 || bytes.length === 4) return undefined;
      bytes.push(byte);
      byte = digits = 0;
    } else {
      const digit = code - DIGIT_ZERO;
      if (digit < 0 || digit > 9) return undefined;
      if (digits > 0 && byte === 0) leadingZeros = true;
      digits++;
      byte = 10 * byte + digit;
      if (byte > 255) return undefined;
    }
  }
  return bytes.length === 4 ? { bytes, leadingZeros } : undefined;
}

function parseIPv6(text: string): Parsed | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [halves[0] ?? '', halves[1]];
  const first = parseGroups(head, tail === undefined);
  const second = tail === undefined ? NO_GROUPS : parseGroups(tail, true);
  if (first === undefined || second === undefined) return undefined;
  const missing = 16 - first.bytes.length - second.bytes.length;
  // An ellipsis replaces at least one group.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return {
    bytes: [...first.bytes, ...new Array<number>(missing).fill(0), ...second.bytes],
    leadingZeros: first.leadingZeros || second.leadingZeros,
  };
}

const NO_GROUPS: Parsed = { bytes: [], leadingZeros: false };

/** Groups between colons; the last may be an IPv4 address at the end of the address. */
function parseGroups(text: string, atEnd: boolean): Parsed | undefined {
  if (text === '') return NO_GROUPS;
  const groups = text.split(':');
  const bytes: number[] = [];
  let leadingZeros = false;
  for (const [i, group] of groups.entries()) {
    const isDotted = atEnd && i === groups.length - 1 && group.includes('.');
    const parsed = isDotted ? parseIPv4(group) : parseGroup(group);
    if (parsed === undefined) return undefined;
    bytes.push(...parsed.bytes);
    leadingZeros ||= parsed.leadingZeros;
  }
  return { bytes, leadingZeros };
}

function parseGroup(group: string): Parsed | undefined {
  if (!/^[0-9a-fA-F]+$/.test(group)) return undefined;
  const value = Number.parseInt(group, 16);
  if (value > 0xffff) return undefined;
  return { bytes: [value >> 8, value & 0xff], leadingZeros: group.length > 4 };
}

function isMapped(bytes: readonly number[]): boolean {
  return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

function formatIPv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/** The longest run of zeros, the first one of several. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
