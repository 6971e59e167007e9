import { isIP } from 'node:net';

/**
 * The version of an IP address; 0 for other text. Zones and leading zeros are refused. Upstream: ParseIP of Go's net
 */
export function ipVersion(text: string): 0 | 4 | 6 {
  if (text.includes('%')) return 0;
  const version = isIP(text);
  return version === 4 || version === 6 ? version : 0;
}

/** The same, but numbers may have any leading zeros. Upstream: ParseIPSloppy of k8s.io/utils/net */
export function sloppyIpVersion(text: string): 0 | 4 | 6 {
  return ipVersion(text.replace(/(^|[.:])0+(?=[0-9a-fA-F])/g, '$1'));
}
