import { parseIPAddress } from '@apiserver/apimachinery/values';

/**
 * Reports whether an address identifies a single remote machine; loopback and similar addresses do not.
 * Upstream: net.IP.IsGlobalUnicast; IsProxyableIP in pkg/proxy/util/utils.go calls it since 1.22
 */
export function isGlobalUnicast(address: string): boolean {
  const bytes = parseIPAddress(address)?.bytes;
  if (bytes === undefined || isLocal(bytes)) return false;
  return !(bytes.every((byte) => byte === 0) || (bytes.length === 4 && bytes.every((byte) => byte === 255)));
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
