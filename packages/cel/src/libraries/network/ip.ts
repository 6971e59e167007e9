import { isParseError, ParseError, quote } from '@apiserver/apimachinery/text';
import {
  formatIPAddress,
  isGlobalUnicast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseAddress,
} from '@apiserver/apimachinery/values';
import { type CelType, opaque } from '../../types/cel-type.js';
import { NO_SUCH_OVERLOAD, noConversion } from '../../values/errors.js';
import { type Implementations, implement } from '../../values/implementation.js';
import { type EvaluationError, OpaqueValue, type Result, type Value } from '../../values/value.js';
import { TRAVERSE_FIRST, TRAVERSE_FIRST_TWICE } from '../call-costs.js';
import { orError, parses } from '../parse-result.js';

const IP_TYPE = opaque('net.IP');

/** An IP address: 4 or 16 bytes, without a zone, and no IPv4 address in IPv6 form. */
export class IP extends OpaqueValue {
  readonly type: CelType = IP_TYPE;
  readonly bytes: readonly number[];
  override readonly size: number;

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
    this.size = bytes.length;
  }

  override get key(): string {
    return `ip ${this}`;
  }

  override get unwrapError(): EvaluationError {
    return noConversion('netip.Addr', this);
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof IP)) return NO_SUCH_OVERLOAD;
    return isSameAddress(this.bytes, other.bytes);
  }

  /** The canonical form. */
  override toString(): string {
    return formatIPAddress(this.bytes);
  }
}

/** Reports whether two addresses have the same bytes. */
export function isSameAddress(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Reports whether an address is an IPv4 address in IPv6 form. */
export function isMapped(bytes: readonly number[]): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && wordAt(bytes, 10) === 0xffff;
}

/** Parses an address. Throws a ParseError with upstream's text. */
export function parseIP(text: string): IP {
  const { bytes, zone } = parsedAddress(text);
  if (zone !== '') throw new ParseError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isMapped(bytes)) throw new ParseError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new IP(bytes);
}

function parsedAddress(text: string) {
  try {
    return parseAddress(text);
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw new ParseError(`IP Address ${quote(text)} parse error during conversion from string: ${error.message}`);
  }
}

function wordAt(bytes: readonly number[], index: number): number {
  return ((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0);
}

function isLinkLocalMulticast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return (wordAt(bytes, 0) & 0xff0f) === 0xff02;
}

const test = (check: (bytes: readonly number[]) => boolean) => implement([IP], ({ bytes }): Result => check(bytes));

/** Addresses are short: a longer text is refused at once. */
const PARSE_WORK = 60;

/** Upstream: k8s.io/apiserver/pkg/cel/library/ip.go */
export const IP_IMPLEMENTATIONS: Implementations = {
  ip_family: implement([IP], (ip) => (ip.bytes.length === 4 ? 4 : 6)),
  ip_is_canonical: implement(
    ['string'],
    (text) => orError(() => parseIP(text).toString() === text),
    TRAVERSE_FIRST_TWICE,
    PARSE_WORK,
  ),
  ip_is_global_unicast: test(isGlobalUnicast),
  ip_is_link_local_multicast: test(isLinkLocalMulticast),
  ip_is_link_local_unicast: test(isLinkLocalUnicast),
  ip_is_loopback: test(isLoopback),
  ip_is_unspecified: test(isUnspecified),
  ip_to_string: implement([IP], (ip) => ip.toString()),
  is_ip: implement(['string'], (text) => parses(() => parseIP(text)), TRAVERSE_FIRST, PARSE_WORK),
  string_to_ip: implement(['string'], (text) => orError(() => parseIP(text)), TRAVERSE_FIRST, PARSE_WORK),
};
