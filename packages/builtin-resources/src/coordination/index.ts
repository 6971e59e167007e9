import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { leases } from './lease/index.js';
import { leaseCandidates } from './lease-candidate/index.js';

/** Dependencies of coordination on its server. */
export interface CoordinationGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/**
 * The resources of coordination.k8s.io. As upstream, `--runtime-config` alone serves LeaseCandidates; the feature gate
 * decides who follows them.
 */
export function coordinationGroup({ install, features }: CoordinationGroupDependencies): APIGroupInfo {
  return builtinGroup('coordination.k8s.io', [install(leases(features)), install(leaseCandidates)]);
}
