import { formatIPAddress, parseCIDR, parseIPAddress } from '@apiserver/apimachinery/values';
import type { IPFamily } from '@apiserver/builtin-resources';

/** Bounds of the part reserved for explicitly requested addresses. Upstream: calculateRangeOffset of ipallocator */
const MIN_STATIC = 16n;
const MAX_STATIC = 256n;
const STATIC_SHARE = 16n;

/** The allocatable addresses of a network, as numbers. */
export interface IPRange {
  readonly family: IPFamily;
  /** In canonical form. */
  readonly cidr: string;
  readonly first: bigint;
  readonly last: bigint;
  /** Automatic allocation prefers addresses from here on; lower ones are used only when these are exhausted. */
  readonly dynamicFirst: bigint;
}

/**
 * Parses a network. Excludes its network address and, for IPv4, the broadcast address. Undefined if it is invalid.
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

/** The number of allocatable addresses. */
export function rangeSize({ first, last }: IPRange): bigint {
  return last < first ? 0n : last - first + 1n;
}

/** Reports whether the range contains the address; false for the other family or an invalid address. */
export function rangeContains({ first, last, family }: IPRange, address: string): boolean {
  const parsed = parseIPAddress(address);
  if (parsed === undefined || (parsed.bytes.length === 4) !== (family === 'IPv4')) return false;
  const number = toNumber(parsed.bytes);
  return number >= first && number <= last;
}

/** Formats an address of the range in canonical form. */
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
