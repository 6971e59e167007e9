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
const COLON = 0x3a;
const DIGIT_ZERO = 0x30;

interface Parsed {
  readonly bytes: number[];
  leadingZeros: boolean;
}

/**
 * Parses an IP address as leniently as upstream: leading zeros are ignored. Undefined for an invalid address, or one
 * with a zone.
 * Upstream: ParseIPSloppy of k8s.io/utils/net
 */
export function parseIPAddress(text: string): IPAddress | undefined {
  const v4 = parseIPv4(text);
  if (v4 !== undefined) return { bytes: v4.bytes, mapped: false, leadingZeros: v4.leadingZeros };
  const v6 = parseIPv6(text);
  if (v6 === undefined) return undefined;
  const { bytes, leadingZeros } = v6;
  return isMapped(bytes)
    ? { bytes: bytes.slice(12), mapped: true, leadingZeros }
    : { bytes, mapped: false, leadingZeros };
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

// One object may have tens of thousands of addresses, so the functions below make no texts and no lists on the way.

function parseIPv6(text: string): Parsed | undefined {
  const parsed: Parsed = { bytes: [], leadingZeros: false };
  const ellipsis = text.indexOf('::');
  if (ellipsis < 0) {
    return readGroups(text, { from: 0, to: text.length }, parsed) && isFull(parsed) ? parsed : undefined;
  }
  if (!readGroups(text, { from: 0, to: ellipsis }, parsed)) return undefined;
  const place = parsed.bytes.length;
  if (!readGroups(text, { from: ellipsis + 2, to: text.length }, parsed)) return undefined;
  // An ellipsis replaces at least one group.
  const missing = 16 - parsed.bytes.length;
  if (missing < 2) return undefined;
  parsed.bytes.splice(place, 0, ...ZEROS.slice(0, missing));
  return parsed;
}

const ZEROS: readonly number[] = new Array<number>(16).fill(0);

function isFull({ bytes }: Parsed): boolean {
  return bytes.length === 16;
}

/**
 * Appends the groups of a part of the text; the last one may be an IPv4 address at the end of the text. False: invalid.
 */
function readGroups(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  parsed: Parsed,
): boolean {
  let group = 0;
  let begun = from;
  for (let i = from; i <= to && from < to; i++) {
    const code = i < to ? text.charCodeAt(i) : COLON;
    if (code === DOT) return to === text.length && readIPv4(text.slice(begun), parsed);
    if (code === COLON) {
      if (i === begun || group > 0xffff) return false;
      parsed.bytes.push(group >> 8, group & 0xff);
      if (i - begun > 4) parsed.leadingZeros = true;
      group = 0;
      begun = i + 1;
    } else {
      const digit = hexDigit(code);
      if (digit < 0) return false;
      group = Math.min(16 * group + digit, 0x10000);
    }
  }
  return true;
}

function readIPv4(text: string, parsed: Parsed): boolean {
  const v4 = parseIPv4(text);
  if (v4 === undefined) return false;
  parsed.bytes.push(...v4.bytes);
  if (v4.leadingZeros) parsed.leadingZeros = true;
  return true;
}

/** The value of a hexadecimal digit; -1 for another character. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isMapped(bytes: readonly number[]): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

function formatIPv6(bytes: readonly number[]): string {
  const { start, end } = longestZeros(bytes);
  let text = '';
  for (let i = 0; i < 8; i++) {
    if (i === start) {
      text += '::';
      i = end - 1;
    } else {
      if (i > 0 && i !== end) text += ':';
      text += groupAt(bytes, i).toString(16);
    }
  }
  return text;
}

function groupAt(bytes: readonly number[], index: number): number {
  return ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0);
}

/** The longest run of at least two groups of zeros, the first one of several; -1 without one. */
function longestZeros(bytes: readonly number[]): { readonly start: number; readonly end: number } {
  let best = { start: -1, end: -1 };
  let longest = 1;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groupAt(bytes, end) === 0) end++;
    if (end - start > longest) {
      longest = end - start;
      best = { start, end };
    }
    if (end > start) start = end;
  }
  return best;
}
