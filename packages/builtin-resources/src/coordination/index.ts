import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { leases } from './lease/index.js';

/** The resources of coordination.k8s.io. */
export function coordinationGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('coordination.k8s.io', [install(leases)]);
}
