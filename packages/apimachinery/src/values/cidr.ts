import { formatIPAddress, type IPAddress, parseIPAddress } from './ip-address.js';

/** The bytes before an IPv4 address in IPv6 form. */
const MAPPED_PREFIX = [...Array<number>(10).fill(0), 0xff, 0xff];
const MAPPED_BITS = 96;

/** An address with the length of its network's prefix, as written. */
export interface CIDR {
  readonly address: IPAddress;
  /** Bits as written: of 32, or of 128 for the IPv6 form. */
  readonly prefixLength: number;
  /**
   * The address without the bits beyond the prefix; as many bytes as the address, or 16 if that ends an IPv4-mapped
   * form.
   */
  readonly network: readonly number[];
  /** True if a number, including the prefix length, has more leading zeros than current parsers accept. */
  readonly leadingZeros: boolean;
}

/**
 * Parses a network as leniently as upstream. Undefined for an invalid one.
 * Upstream: ParseCIDRSloppy of k8s.io/utils/net
 */
export function parseCIDR(text: string): CIDR | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseIPAddress(text.slice(0, slash));
  const prefixText = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(prefixText)) return undefined;
  const prefixLength = Number(prefixText);
  if (prefixLength > (isWrittenAsIPv4(address) ? 32 : 128)) return undefined;
  return {
    address,
    prefixLength,
    network: networkOf(address, prefixLength),
    leadingZeros: address.leadingZeros || (prefixText.length > 1 && prefixText.startsWith('0')),
  };
}

/** The canonical form of a network. */
export function formatCIDR({ address, network, prefixLength }: CIDR): string {
  return `${formatIPAddress(network)}/${network.length === 4 ? significantBits(address, prefixLength) : prefixLength}`;
}

/** Reports whether an address lies within a network. */
export function cidrContains({ address, network, prefixLength }: CIDR, candidate: readonly number[]): boolean {
  if (candidate.length !== network.length) return false;
  const bits = network.length === 4 ? significantBits(address, prefixLength) : prefixLength;
  return maskedBytes(candidate, bits).every((byte, i) => byte === network[i]);
}

function isWrittenAsIPv4({ bytes, mapped }: IPAddress): boolean {
  return bytes.length === 4 && !mapped;
}

function networkOf(address: IPAddress, prefixLength: number): number[] {
  const { bytes, mapped } = address;
  if (!mapped || prefixLength >= MAPPED_BITS) return maskedBytes(bytes, significantBits(address, prefixLength));
  return maskedBytes([...MAPPED_PREFIX, ...bytes], prefixLength);
}

/** Bits of the prefix that apply to the address's own bytes: a mapped address has 96 before them. */
function significantBits({ mapped }: IPAddress, prefixLength: number): number {
  return mapped ? prefixLength - MAPPED_BITS : prefixLength;
}

/** The bytes of an address without the bits beyond a prefix. */
export function maskedBytes(bytes: readonly number[], bits: number): number[] {
  const masked: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const kept = Math.min(8, Math.max(0, bits - 8 * i));
    masked.push((bytes[i] ?? 0) & ((0xff << (8 - kept)) & 0xff));
  }
  return masked;
}
