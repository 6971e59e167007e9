import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { podGroups } from './pod-group/index.js';
import { priorityClasses } from './priority-class/index.js';
import { groupFeatures } from './scheduling-fields.js';
import { workloads } from './workload/index.js';

/** Dependencies of scheduling on its server. */
export interface SchedulingGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of scheduling.k8s.io. */
export function schedulingGroup({ install, features }: SchedulingGroupDependencies): APIGroupInfo {
  const ofGroups = groupFeatures(features);
  const gangs = features.enabled('GenericWorkload') ? [install(podGroups(ofGroups)), install(workloads(ofGroups))] : [];
  return builtinGroup('scheduling.k8s.io', [install(priorityClasses), ...gangs]);
}
