import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { apiServerID } from '@apiserver/controlplane';

/**
 * The identity of this server; "" without the gate APIServerIdentity.
 * Upstream: NewConfig of k8s.io/apiserver/pkg/server/config.go
 */
export function serverIdOf(features: FeatureGates, hostname: string): string {
  return features.enabled('APIServerIdentity') ? apiServerID(hostname) : '';
}
