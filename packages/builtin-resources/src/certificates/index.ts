import type { APIGroupInfo, Authorizer, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { certificateSigningRequests } from './certificate-signing-request/index.js';
import { clusterTrustBundles } from './cluster-trust-bundle/index.js';
import { podCertificateRequests } from './pod-certificate-request/index.js';

/** Dependencies of certificates on their server. */
export interface CertificatesGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
  /** Decides who may sign for a signer. */
  readonly signers: Pick<Authorizer, 'authorize'>;
}

/** The resources of certificates.k8s.io. */
export function certificatesGroup(dependencies: CertificatesGroupDependencies): APIGroupInfo {
  const { install, features, clock, signers: authorizer } = dependencies;
  return builtinGroup('certificates.k8s.io', [
    install(certificateSigningRequests(clock)),
    ...(features.enabled('ClusterTrustBundle') ? [install(clusterTrustBundles)] : []),
    ...(features.enabled('PodCertificateRequest') ? [install(podCertificateRequests({ authorizer, clock }))] : []),
  ]);
}
