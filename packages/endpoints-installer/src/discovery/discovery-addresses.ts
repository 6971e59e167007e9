import { BlockList, isIP } from 'node:net';
import type { ServerAddressByClientCIDR } from '@apiserver/api/meta/v1';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** Says under which addresses a client can reach this server; the first is for everybody. */
export type DiscoveryAddresses = (clientIP: string) => readonly ServerAddressByClientCIDR[];

/** Another address for clients within a range. */
export interface AddressRule {
  /** `10.96.0.0/12` */
  readonly clientCIDR: string;
  /** `10.96.0.1:443` */
  readonly serverAddress: string;
}

/**
 * One address for everybody, and further ones for the clients of a range. `address` is asked for each time, because a
 * port may be known only after the server listens. Throws a TypeError for what is no CIDR.
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
  return (address) => list.check(address, familyOf(address) ?? family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/**
 * The address of the client behind the proxies that say whom they speak for.
 *
 * Upstream: GetClientIP in k8s.io/apimachinery/pkg/util/net/http.go
 */
export function clientAddress({ headers, remoteAddress }: Pick<ApiRequest, 'headers' | 'remoteAddress'>): string {
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',', 1)[0]?.trim() ?? '';
  if (isIP(forwarded) !== 0) return forwarded;
  const real = (headers.get('x-real-ip') ?? '').trim();
  return isIP(real) === 0 ? remoteAddress : real;
}
