import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { flowSchemas } from './flow-schema/index.js';
import { priorityLevelConfigurations } from './priority-level-configuration/index.js';

/** The resources of flowcontrol.apiserver.k8s.io. */
export function flowcontrolGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('flowcontrol.apiserver.k8s.io', [install(flowSchemas), install(priorityLevelConfigurations)]);
}
