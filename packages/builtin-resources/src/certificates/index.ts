import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { certificateSigningRequests } from './certificate-signing-request/index.js';
import { clusterTrustBundles } from './cluster-trust-bundle/index.js';

/** Dependencies of certificates on their server. */
export interface CertificatesGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of certificates.k8s.io. */
export function certificatesGroup({ install, features, clock }: CertificatesGroupDependencies): APIGroupInfo {
  const bundles = features.enabled('ClusterTrustBundle') ? [install(clusterTrustBundles)] : [];
  return builtinGroup('certificates.k8s.io', [install(certificateSigningRequests(clock)), ...bundles]);
}
