import type { Service } from '@apiserver/api/core/v1';
import { formatIPAddress, type IPFamily, parseIPAddress, type ServiceReference } from '@apiserver/builtin-resources';

/** An address that a service holds, in canonical form. */
export interface HeldAddress {
  readonly family: IPFamily;
  readonly address: string;
}

/** The addresses that a stored service holds; headless ones and external names hold none. */
export function addressesOf({ spec }: Service): HeldAddress[] {
  if (spec.type === 'ExternalName') return [];
  const texts = spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : []);
  return texts.flatMap((text) => {
    const parsed = parseIPAddress(text);
    if (parsed === undefined) return [];
    return [{ family: parsed.bytes.length === 4 ? 'IPv4' : 'IPv6', address: formatIPAddress(parsed.bytes) }];
  });
}

/** The node ports that a stored service holds, each once. */
export function portsOf({ spec }: Service): number[] {
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  return [...new Set(spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports)];
}

export function referenceTo({ metadata }: Service): ServiceReference {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
