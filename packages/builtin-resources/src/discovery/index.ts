import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { endpointSlices } from './endpoint-slice/index.js';

/** The resources of discovery.k8s.io. */
export function discoveryGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('discovery.k8s.io', [install(endpointSlices)]);
}
