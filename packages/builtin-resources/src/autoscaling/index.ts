import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler/index.js';

/** The resources of autoscaling. */
export function autoscalingGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('autoscaling', [install(horizontalPodAutoscalers)]);
}
