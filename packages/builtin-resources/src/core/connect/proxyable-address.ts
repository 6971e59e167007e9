import { isGlobalUnicast, parseIPAddress } from '@apiserver/apimachinery/values';

/**
 * Reports whether an address identifies a single remote machine; loopback and similar addresses do not.
 * Upstream: IsProxyableIP in pkg/proxy/util/utils.go calls net.IP.IsGlobalUnicast since 1.22
 */
export function isProxyable(address: string): boolean {
  const bytes = parseIPAddress(address)?.bytes;
  return bytes !== undefined && isGlobalUnicast(bytes);
}
