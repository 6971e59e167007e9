import { isIPv4, SocketAddress } from 'node:net';

/**
 * 4, 6, or 0 for what is no IP address: as `isIP` of node:net, but without its pattern for IPv6, which takes 7 ms to
 * compile. An IPv6 address is read by the system instead.
 */
export function ipFamily(address: string): 0 | 4 | 6 {
  if (isIPv4(address)) return 4;
  return address.includes(':') && isReadable(address) ? 6 : 0;
}

function isReadable(address: string): boolean {
  try {
    return new SocketAddress({ address, family: 'ipv6' }).family === 'ipv6';
  } catch {
    return false;
  }
}
