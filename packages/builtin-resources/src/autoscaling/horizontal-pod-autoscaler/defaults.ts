import type { HorizontalPodAutoscaler, HPAScalingPolicy, MetricSpec } from '@apiserver/api/autoscaling/v2';

/** The default target. Upstream: DefaultCPUUtilization of pkg/apis/autoscaling/types.go */
export function defaultMetrics(): MetricSpec[] {
  return [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
}

/** Mutates. Upstream: SetDefaults_HorizontalPodAutoscaler of pkg/apis/autoscaling/v2/defaults.go */
export function applyAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  applyMinReplicas(autoscaler);
  const { spec } = autoscaler;
  if (!spec.metrics?.length) spec.metrics = defaultMetrics();
  if (spec.behavior === undefined) return;
  const { scaleUp, scaleDown } = spec.behavior;
  const byPercent: HPAScalingPolicy = { type: 'Percent', value: 100, periodSeconds: 15 };
  spec.behavior = {
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, byPercent],
      ...scaleUp,
    },
    scaleDown: { selectPolicy: 'Max', policies: [{ ...byPercent }], ...scaleDown },
  };
}

/** The only default that applies before version 1's conversion. Mutates. */
export function applyMinReplicas({ spec }: { readonly spec: { minReplicas?: number } }): void {
  spec.minReplicas ??= 1;
}
