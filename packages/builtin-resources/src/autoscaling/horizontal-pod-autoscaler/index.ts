import { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '@apiserver/api/autoscaling/v1';
import { HorizontalPodAutoscaler } from '@apiserver/api/autoscaling/v2';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { horizontalPodAutoscalerColumns } from './columns.js';
import { fromV1, toV1 } from './conversion.js';
import { applyAutoscalerDefaults, applyMinReplicas } from './defaults.js';
import { horizontalPodAutoscalerStatusStrategy, horizontalPodAutoscalerStrategy } from './strategy.js';

/** HorizontalPodAutoscalers: set the number of a workload's pods by metrics. */
export function horizontalPodAutoscalers(features: FeatureGates): ResourceDefinition<HorizontalPodAutoscaler> {
  const strategy = horizontalPodAutoscalerStrategy(features);
  return defineResource<HorizontalPodAutoscaler>({
    shortNames: ['hpa'],
    categories: ['all'],
    versions: [
      { schema: HorizontalPodAutoscaler, applyDefaults: applyAutoscalerDefaults },
      { schema: HorizontalPodAutoscalerV1, applyDefaults: applyMinReplicas, toHub: fromV1, fromHub: toV1 },
    ],
    strategy,
    columns: horizontalPodAutoscalerColumns,
    subresources: { status: { strategy: horizontalPodAutoscalerStatusStrategy(strategy) } },
  });
}
