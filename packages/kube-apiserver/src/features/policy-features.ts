import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { PolicyFeatures } from '@apiserver/rbac-authorizer';

/** The gates that add rules to the policy of roles. */
export function policyFeatures(gate: FeatureGates): PolicyFeatures {
  return {
    clusterTrustBundle: gate.enabled('ClusterTrustBundle'),
    podCertificateRequest: gate.enabled('PodCertificateRequest'),
    deviceTaintRules: gate.enabled('DRADeviceTaintRules'),
    resourcePoolStatus: gate.enabled('DRAResourcePoolStatus'),
    genericWorkload: gate.enabled('GenericWorkload'),
    storageVersions: gate.enabled('StorageVersionAPI') && gate.enabled('APIServerIdentity'),
    storageVersionMigrator: gate.enabled('StorageVersionMigrator'),
    flagz: gate.enabled('ComponentFlagz'),
    statusz: gate.enabled('ComponentStatusz'),
  };
}
