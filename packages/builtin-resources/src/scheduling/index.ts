import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { priorityClasses } from './priority-class/index.js';

/** The resources of scheduling.k8s.io. */
export function schedulingGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('scheduling.k8s.io', [install(priorityClasses)]);
}
