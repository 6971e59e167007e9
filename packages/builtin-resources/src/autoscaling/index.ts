import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler/index.js';

/** The resources of autoscaling. */
export const autoscalingResources: readonly AnyResourceDefinition[] = [horizontalPodAutoscalers];
