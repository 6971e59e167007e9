import { formatIPAddress, parseCIDR, parseIPAddress } from '@apiserver/apimachinery/values';
import type { IPFamily } from '@apiserver/builtin-resources';

/** Bounds of the part that only named addresses come from. Upstream: calculateRangeOffset of ipallocator */
const MIN_STATIC = 16n;
const MAX_STATIC = 256n;
const STATIC_SHARE = 16n;

/** The addresses of a network that services can have, as numbers. */
export interface IPRange {
  readonly family: IPFamily;
  /** In canonical form. */
  readonly cidr: string;
  readonly first: bigint;
  readonly last: bigint;
  /** Addresses from here on are given to who names none, while there are some; those below only when they have run out. */
  readonly dynamicFirst: bigint;
}

/**
 * Reads a network. The address of the network itself is left out, and of IPv4 its broadcast address. Undefined for what
 * is no network.
 * Upstream: NewIPAllocator of pkg/registry/core/service/ipallocator/ipallocator.go
 */
export function parseIPRange(text: string): IPRange | undefined {
  const cidr = parseCIDR(text);
  if (cidr === undefined || cidr.address.mapped) return undefined;
  const bits = cidr.network.length * 8;
  const size = 1n << BigInt(bits - cidr.prefixLength);
  const network = toNumber(cidr.network);
  const isIPv4 = bits === 32;
  const first = network + 1n;
  return {
    family: isIPv4 ? 'IPv4' : 'IPv6',
    cidr: `${formatIPAddress(cidr.network)}/${cidr.prefixLength}`,
    first,
    last: network + size - (isIPv4 ? 2n : 1n),
    dynamicFirst: first + staticAddresses(size),
  };
}

/** How many addresses can be had. */
export function rangeSize({ first, last }: IPRange): bigint {
  return last < first ? 0n : last - first + 1n;
}

/** Whether the address lies in the range; false for one of the other family, and for what is no address. */
export function rangeContains({ first, last, family }: IPRange, address: string): boolean {
  const parsed = parseIPAddress(address);
  if (parsed === undefined || (parsed.bytes.length === 4) !== (family === 'IPv4')) return false;
  const number = toNumber(parsed.bytes);
  return number >= first && number <= last;
}

/** An address of the range, in canonical form. */
export function addressAt({ family }: IPRange, number: bigint): string {
  const length = family === 'IPv4' ? 4 : 16;
  const bytes = Array.from({ length }, (_, i) => Number((number >> BigInt(8 * (length - 1 - i))) & 0xffn));
  return formatIPAddress(bytes);
}

function staticAddresses(size: bigint): bigint {
  if (size <= MIN_STATIC) return 0n;
  const share = size / STATIC_SHARE;
  if (share < MIN_STATIC) return MIN_STATIC;
  return share > MAX_STATIC ? MAX_STATIC : share;
}

function toNumber(bytes: readonly number[]): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
