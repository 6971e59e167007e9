import type { NetworkPolicy } from '@apiserver/api/networking/v1';

/**
 * A policy is for ingress, and for egress if it has such a rule; the default protocol is TCP. Mutates.
 * Upstream: pkg/apis/networking/v1/defaults.go
 */
export function applyNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  const { ingress = [], egress = [] } = spec;
  if ((spec.policyTypes ?? []).length === 0) spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const { ports = [] } of [...ingress, ...egress]) {
    for (const port of ports) port.protocol ??= 'TCP';
  }
}
