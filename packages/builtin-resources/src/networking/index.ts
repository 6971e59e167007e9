import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { ingresses } from './ingress/index.js';
import { ingressClasses } from './ingress-class/index.js';
import { ipAddresses } from './ip-address/index.js';
import { networkPolicies } from './network-policy/index.js';
import { serviceCIDRs } from './service-cidr/index.js';

/** The resources of networking.k8s.io. */
export function networkingGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('networking.k8s.io', [
    install(ingressClasses),
    install(ingresses),
    install(ipAddresses),
    install(networkPolicies),
    install(serviceCIDRs),
  ]);
}
