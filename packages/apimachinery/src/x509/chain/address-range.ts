import { formatAddress, ipv4Of } from './alternative-names.js';

/** An address and a mask of the same length: 4 or 16 bytes. Upstream: net.IPNet */
export interface AddressRange {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

/** Reports whether ones come before zeros. Upstream: isValidIPMask of crypto/x509 */
export function isMask(mask: Uint8Array): boolean {
  return /^1*0*$/.test([...mask].map((byte) => byte.toString(2).padStart(8, '0')).join(''));
}

/** Addresses of IPv4 that IPv6 maps are in ranges of IPv4 only. Upstream: Contains of net.IPNet */
export function isInRange(range: AddressRange, address: Uint8Array): boolean {
  const { address: start, mask } = shortened(range);
  const searched = ipv4Of(address) ?? address;
  return (
    searched.length === start.length &&
    start.every((byte, index) => ((byte ^ (searched[index] ?? 0)) & (mask[index] ?? 0)) === 0)
  );
}

/** Reports whether all addresses of the second range are in `outer`. Upstream: ipNetworkSubset of crypto/x509 */
export function isRangeIn(outer: AddressRange, { address, mask }: AddressRange): boolean {
  const last = address.map((byte, index) => byte | (~(mask[index] ?? 0) & 0xff));
  return isInRange(outer, address) && isInRange(outer, last);
}

/** As Go prints a range: "10.0.0.0/8". */
export function formatRange(range: AddressRange): string {
  const { address, mask } = shortened(range);
  const ones = [...mask].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  return `${formatAddress(address)}/${ones}`;
}

function shortened({ address, mask }: AddressRange): AddressRange {
  const short = ipv4Of(address);
  if (short === undefined) return { address, mask };
  return { address: short, mask: mask.length === 16 ? mask.subarray(12) : mask };
}
