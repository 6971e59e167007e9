import { isIP } from 'node:net';
import { formatIPAddress, parseIPAddress } from './ip-address.js';

/** Addresses of X-Forwarded-For that are taken. A client may send a megabyte of them. */
const MAX_FORWARDED = 1_000;
/** Characters of an address. Longer ones, with hundreds of leading zeros, count as none. */
const MAX_ADDRESS_LENGTH = 100;

/** Where a request came from. */
export interface RequestOrigin {
  /** The first value of X-Forwarded-For; "" if absent. */
  readonly forwardedFor: string;
  /** The first value of X-Real-Ip; "" if absent. */
  readonly realIp: string;
  /** The address of the other end, as `canonicalAddress` has it. */
  readonly peer: string | undefined;
}

/**
 * The addresses of a request: those of X-Forwarded-For, X-Real-Ip, and last the peer. A client can choose all but the
 * last.
 * Upstream: SourceIPs in k8s.io/apimachinery/pkg/util/net/http.go
 */
export function sourceAddresses({ forwardedFor, realIp, peer }: RequestOrigin): readonly string[] {
  const addresses: string[] = [];
  if (forwardedFor !== '') {
    for (const part of forwardedFor.split(',', MAX_FORWARDED)) {
      const address = canonicalAddress(part.trim());
      if (address !== undefined) addresses.push(address);
    }
  }
  const behind = realIp === '' ? undefined : canonicalAddress(realIp);
  if (behind !== undefined && !addresses.includes(behind)) addresses.push(behind);
  if (peer !== undefined && addresses.at(-1) !== peer) addresses.push(peer);
  return addresses;
}

/** An address in its canonical form, which the usual one has already; undefined for other texts. */
export function canonicalAddress(text: string): string | undefined {
  if (/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text) && isIP(text) === 4) return text;
  const parsed = text.length > MAX_ADDRESS_LENGTH ? undefined : parseIPAddress(text);
  return parsed && formatIPAddress(parsed.bytes);
}
