import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { ingresses } from './ingress/index.js';
import { ingressClasses } from './ingress-class/index.js';
import { ipAddresses } from './ip-address/index.js';
import { networkPolicies } from './network-policy/index.js';
import { serviceCIDRs } from './service-cidr/index.js';

/** Dependencies of the group on its server. */
export interface NetworkingGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of networking.k8s.io. */
export function networkingGroup({ install, features }: NetworkingGroupDependencies): APIGroupInfo {
  return builtinGroup('networking.k8s.io', [
    install(ingressClasses),
    install(ingresses(features)),
    install(ipAddresses),
    install(networkPolicies(features)),
    install(serviceCIDRs(features)),
  ]);
}
