import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler/index.js';

/** Dependencies of autoscalers on their server. */
export interface AutoscalingGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of autoscaling. */
export function autoscalingGroup({ install, features }: AutoscalingGroupDependencies): APIGroupInfo {
  return builtinGroup('autoscaling', [install(horizontalPodAutoscalers(features))]);
}
