import type { IPAddress, ServiceCIDR } from '@apiserver/api/networking/v1';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { type CIDR, cidrContains, parseCIDR, parseIPAddress } from '@apiserver/apimachinery/values';

const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';

/** True if one of the networks contains the address. */
export function containsAddress({ spec }: ServiceCIDR, address: string): boolean {
  const parsed = parseIPAddress(address);
  return parsed !== undefined && networksOf(spec.cidrs).some((network) => cidrContains(network, parsed.bytes));
}

/** True if a network of one contains a network of the other, or is the same. */
export function overlap(a: ServiceCIDR, b: ServiceCIDR): boolean {
  const others = networksOf(b.spec.cidrs);
  return networksOf(a.spec.cidrs).some((one) => others.some((other) => contains(one, other) || contains(other, one)));
}

/**
 * True if no address of a service would be left without a network: others contain the networks, or every address.
 * Upstream: canDeleteCIDR of pkg/controller/servicecidrs
 */
export async function mayBeDeleted(
  cidr: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: readonly IPAddress[],
): Promise<boolean> {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name);
  const networks = others.flatMap(({ spec }) => networksOf(spec.cidrs));
  const isCovered = networksOf(cidr.spec.cidrs).every((own) => networks.some((network) => contains(network, own)));
  if (isCovered) return true;
  const slice = new TimeSlice();
  for (const { metadata } of addresses) {
    const { name = '', labels } = metadata;
    const isOrphaned = containsAddress(cidr, name) && !others.some((other) => containsAddress(other, name));
    if (labels?.[MANAGED_BY] === ALLOCATOR && isOrphaned) return false;
    if (slice.over) await slice.yield();
  }
  return true;
}

function networksOf(texts: readonly string[] = []): readonly CIDR[] {
  return texts.flatMap((text) => parseCIDR(text) ?? []);
}

function contains(outer: CIDR, inner: CIDR): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address.bytes);
}
