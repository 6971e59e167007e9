import type { NetworkInterfaceInfo } from 'node:os';
import { ipFamily } from './ip-family.js';

/** The names and addresses that a serving certificate must have. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * The names under which pods reach the API, whatever cluster it is.
 * Upstream: cmd/kube-apiserver/app/server.go (SetAdvertiseAddress, alternate DNS)
 */
const clusterNames = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
];

/**
 * Every name and address a client of this server may use: the cluster's names, this host's, the loopback addresses, the
 * first address of the service range, and where the server advertises and binds.
 */
export function servingNames(options: {
  readonly hostname: string;
  readonly serviceAddress: string;
  readonly advertiseAddress: string;
  readonly bindAddress: string;
}): ServingNames {
  const { hostname, serviceAddress, advertiseAddress, bindAddress } = options;
  const addresses = ['127.0.0.1', '::1', serviceAddress, advertiseAddress, bindAddress];
  const host = hostname.toLowerCase();
  return {
    dnsNames: unique([...clusterNames, ...(isDnsName(host) && ipFamily(host) === 0 ? [host] : [])]),
    addresses: unique(addresses.filter((address) => ipFamily(address) !== 0 && !isUnspecified(address))),
  };
}

/**
 * The address other machines reach this one by: the bind address if it is one, else one of an interface that a default
 * route leads through, IPv4 before IPv6; without such a route, of any that is not the loopback.
 * Upstream: k8s.io/apimachinery/pkg/util/net.ResolveBindAddress
 */
export function defaultAdvertiseAddress(
  bindAddress: string,
  interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]>,
  preferredInterfaces: () => readonly string[] = () => [],
): string {
  if (!isUnspecified(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const preferred = preferredInterfaces().flatMap((name) => interfaces[name] ?? []);
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  return outsideAddress(preferred) ?? outsideAddress(all) ?? '127.0.0.1';
}

function outsideAddress(entries: readonly NetworkInterfaceInfo[]): string | undefined {
  const outside = entries.filter((entry) => !entry.internal && !entry.address.toLowerCase().startsWith('fe80:'));
  return (outside.find((entry) => entry.family === 'IPv4') ?? outside[0])?.address;
}

/** The host part of an URL that reaches a server bound to `bindAddress` from the same machine. */
export function localHost(bindAddress: string): string {
  const address = bindAddress === '0.0.0.0' ? '127.0.0.1' : isUnspecified(bindAddress) ? '::1' : bindAddress;
  return ipFamily(address) === 6 ? `[${address}]` : address;
}

function isUnspecified(address: string): boolean {
  return address === '' || address === '0.0.0.0' || /^[0:]+$/.test(address);
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

function isDnsName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) && name.length <= 253;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
