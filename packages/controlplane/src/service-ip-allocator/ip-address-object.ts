import type { IPAddress } from '@apiserver/api/networking/v1';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import type { IPFamily, ServiceReference } from '@apiserver/builtin-resources';

/** The label with the address family. Upstream: LabelIPAddressFamily */
export const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family';
/** The label with the manager of the object. Upstream: LabelManagedBy */
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';
/** Upstream: ControllerName of pkg/registry/core/service/ipallocator */
const ALLOCATOR_NAME = 'ipallocator.k8s.io';
/** The resource of IPAddresses, for clients. */
export const IP_ADDRESSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };

/**
 * The object that records a service as the holder of an address, in canonical form. Upstream: newIPAddress of
 * repairip.go
 */
export function newIPAddress(address: string, { namespace, name }: ServiceReference): IPAddress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: address,
      labels: { [FAMILY_LABEL]: familyOfAddress(address), [MANAGED_BY_LABEL]: ALLOCATOR_NAME },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** Reports whether the allocator manages the object and may delete it. */
export function isManaged({ metadata }: IPAddress): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] === ALLOCATOR_NAME;
}

/** Reports whether the object has the allocator's labels. Upstream: verifyIPAddressLabels */
export function hasAllocatorLabels(address: IPAddress): boolean {
  const { name = '', labels } = address.metadata;
  return isManaged(address) && labels?.[FAMILY_LABEL] === familyOfAddress(name);
}

/** The service that holds the address; undefined if the holder is no service. */
export function holdingService({ spec: { parentRef } }: IPAddress): ServiceReference | undefined {
  if (parentRef === undefined || parentRef.group || parentRef.resource !== 'services') return undefined;
  return { namespace: parentRef.namespace ?? '', name: parentRef.name ?? '' };
}

/** Any address that is not IPv6 counts as IPv4. */
export function familyOfAddress(address: string): IPFamily {
  return parseIPAddress(address)?.bytes.length === 16 ? 'IPv6' : 'IPv4';
}
