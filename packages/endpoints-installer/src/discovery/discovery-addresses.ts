import { BlockList, isIP } from 'node:net';
import type { ServerAddressByClientCIDR } from '@apiserver/api/meta/v1';
import { canonicalAddress, sourceAddresses } from '@apiserver/apimachinery/values';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** The addresses under which a client can reach this server; the first is for all clients. */
export type DiscoveryAddresses = (clientIP: string) => readonly ServerAddressByClientCIDR[];

/** Another address for clients within a range. */
export interface AddressRule {
  /** `10.96.0.0/12` */
  readonly clientCIDR: string;
  /** `10.96.0.1:443` */
  readonly serverAddress: string;
}

/**
 * One address for all clients, and further ones for ranges. `address` is called each time, because the port may only be
 * known once the server listens. Throws a TypeError for an invalid CIDR.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/addresses.go
 */
export function createDiscoveryAddresses(
  address: () => string,
  rules: readonly AddressRule[] = [],
): DiscoveryAddresses {
  const ranges = rules.map((rule) => ({ rule, contains: cidrMatcher(rule.clientCIDR) }));
  return (clientIP) => [
    { clientCIDR: '0.0.0.0/0', serverAddress: address() },
    ...ranges.filter(({ contains }) => contains(clientIP)).map(({ rule }) => ({ ...rule })),
  ];
}

function cidrMatcher(cidr: string): (address: string) => boolean {
  const [network = '', length = ''] = cidr.split('/');
  const family = familyOf(network);
  if (family === undefined || !/^[0-9]+$/.test(length)) throw new TypeError(`not a CIDR: ${cidr}`);
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return (address) => {
    const own = familyOf(address);
    return own !== undefined && list.check(address, own);
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/**
 * The address of the client, taken from headers of proxies; "" if it is unknown.
 *
 * Upstream: GetClientIP in k8s.io/apimachinery/pkg/util/net/http.go
 */
export function clientAddress({ headers, remoteAddress }: Pick<ApiRequest, 'headers' | 'remoteAddress'>): string {
  const [forwardedFor = ''] = headers.all('x-forwarded-for');
  const [realIp = ''] = headers.all('x-real-ip');
  return sourceAddresses({ forwardedFor, realIp, peer: canonicalAddress(remoteAddress) })[0] ?? '';
}
