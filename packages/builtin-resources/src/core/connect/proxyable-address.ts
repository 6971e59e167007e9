import { parseIPAddress } from '../validation/ip-address.js';

/** Whether an address is one machine's on a network, not this machine's own. Upstream: net.IP.IsGlobalUnicast */
export function isGlobalUnicast(address: string): boolean {
  const bytes = parseIPAddress(address)?.bytes;
  if (bytes === undefined || isLocal(bytes)) return false;
  return !(bytes.every((byte) => byte === 0) || (bytes.length === 4 && bytes.every((byte) => byte === 255)));
}

/** Upstream: isProxyableIP in pkg/proxy/util/utils.go */
export function isProxyable(address: string): boolean {
  const bytes = parseIPAddress(address)?.bytes;
  if (bytes === undefined) return false;
  return !(isLoopback(bytes) || isLinkLocal(bytes) || isLocalMulticast(bytes));
}

type Bytes = readonly number[];

function isLocal(bytes: Bytes): boolean {
  return isLoopback(bytes) || isLinkLocal(bytes) || isMulticast(bytes);
}

function isLoopback(bytes: Bytes): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

function isLinkLocal([first = 0, second = 0, ...rest]: Bytes): boolean {
  return rest.length === 2 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isMulticast(bytes: Bytes): boolean {
  const [first = 0] = bytes;
  return bytes.length === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

/** Multicast that does not leave the link or the interface. */
function isLocalMulticast(bytes: Bytes): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.length === 4) return first === 224 && second === 0 && third === 0;
  return first === 0xff && ((second & 0x0f) === 0x02 || (second & 0x0f) === 0x01);
}
