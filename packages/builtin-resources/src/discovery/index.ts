import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { endpointSlices } from './endpoint-slice/index.js';

/** Dependencies of the group on its server. */
export interface DiscoveryGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of discovery.k8s.io. */
export function discoveryGroup({ install, features }: DiscoveryGroupDependencies): APIGroupInfo {
  return builtinGroup('discovery.k8s.io', [install(endpointSlices(features))]);
}
