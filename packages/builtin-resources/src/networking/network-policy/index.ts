import { NetworkPolicy } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { networkPolicyColumns } from './columns.js';
import { applyNetworkPolicyDefaults } from './defaults.js';
import { networkPolicyStrategy } from './strategy.js';

/** NetworkPolicies: allowed connections to and from pods. */
export const networkPolicies = defineResource<NetworkPolicy>({
  shortNames: ['netpol'],
  versions: [{ schema: NetworkPolicy, applyDefaults: applyNetworkPolicyDefaults }],
  strategy: networkPolicyStrategy,
  columns: networkPolicyColumns,
});
