import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { ingresses } from './ingress/index.js';
import { ingressClasses } from './ingress-class/index.js';
import { ipAddresses } from './ip-address/index.js';
import { networkPolicies } from './network-policy/index.js';
import { serviceCIDRs } from './service-cidr/index.js';

/** The resources of networking.k8s.io. */
export const networkingResources: readonly AnyResourceDefinition[] = [
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCIDRs,
];
