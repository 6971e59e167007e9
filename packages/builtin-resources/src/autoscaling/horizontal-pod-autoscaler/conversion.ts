import type * as v1 from '@apiserver/api/autoscaling/v1';
import type * as v2 from '@apiserver/api/autoscaling/v2';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';
import { fromAnnotatedBehavior, toAnnotatedBehavior } from './annotated-behavior.js';
import { decodeAnnotation, encodeAnnotation } from './annotated-form.js';
import { defaultMetrics } from './defaults.js';
import { fromLegacyMetric, fromLegacyStatus, toLegacyMetric, toLegacyStatus } from './legacy-metrics.js';

const PREFIX = 'autoscaling.alpha.kubernetes.io';
const METRICS = `${PREFIX}/metrics`;
const BEHAVIOR = `${PREFIX}/behavior`;
const CURRENT_METRICS = `${PREFIX}/current-metrics`;
const CONDITIONS = `${PREFIX}/conditions`;
const ROUND_TRIP: readonly string[] = [
  ...[METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS],
  ...[`${PREFIX}/scale-up-tolerance`, `${PREFIX}/scale-down-tolerance`],
];

/**
 * Version 1 supports only the CPU metric: all others go into annotations.
 * Upstream: pkg/apis/autoscaling/v1/conversion.go
 */
export function toV1(object: v2.HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const { metadata, spec, status } = object;
  const metrics = spec.metrics ?? [];
  const current = status.currentMetrics ?? [];
  const other = metrics.filter((metric) => !isCpu(metric) || metric.resource?.target.averageUtilization === undefined);
  const conditions = status.conditions ?? [];
  const annotations = {
    ...(other.length > 0 && { [METRICS]: encodeAnnotation('metrics', other.map(toLegacyMetric)) }),
    ...(spec.behavior && { [BEHAVIOR]: encodeAnnotation('behavior', toAnnotatedBehavior(spec.behavior)) }),
    ...(current.length > 0 && { [CURRENT_METRICS]: encodeAnnotation('currentMetrics', current.map(toLegacyStatus)) }),
    ...(conditions.length > 0 && { [CONDITIONS]: encodeAnnotation('conditions', cloneJson(conditions)) }),
  };
  const target = metrics.find(isCpu)?.resource?.target.averageUtilization;
  const converted: v1.HorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v1',
    kind: object.kind,
    metadata: withAnnotations(metadata, annotations),
    spec: {
      ...replicasOf(spec),
      ...(target !== undefined && { targetCPUUtilizationPercentage: target }),
    },
    status: { ...countsOf(status), ...shareOf(current) },
  };
  return converted as KubeObject as v2.HorizontalPodAutoscaler;
}

/** Valid annotations take precedence; a CPU metric follows the others. */
export function fromV1(object: v2.HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const { kind, metadata, spec, status } = object as KubeObject as v1.HorizontalPodAutoscaler;
  const annotations = metadata.annotations ?? {};
  const { targetCPUUtilizationPercentage: target } = spec;
  const { currentCPUUtilizationPercentage: share } = status;
  const cpu: v2.MetricSpec[] =
    target === undefined ? [] : [usageOfCpu({ target: { type: 'Utilization', averageUtilization: target } })];
  const measured: v2.MetricStatus[] =
    share === undefined ? [] : [usageOfCpu({ current: { averageUtilization: share } })];
  const metrics = [...(decodeAnnotation('metrics', annotations[METRICS]) ?? []).map(fromLegacyMetric), ...cpu];
  const current = (decodeAnnotation('currentMetrics', annotations[CURRENT_METRICS]) ?? []).map(fromLegacyStatus);
  const behavior = fromAnnotatedBehavior(decodeAnnotation('behavior', annotations[BEHAVIOR]));
  const conditions = decodeAnnotation('conditions', annotations[CONDITIONS]);
  const currentMetrics = current.length > 0 ? current : measured;
  return {
    apiVersion: 'autoscaling/v2',
    kind,
    metadata: withAnnotations(metadata, {}),
    spec: {
      ...replicasOf(spec),
      metrics: metrics.length > 0 ? metrics : defaultMetrics(),
      ...(behavior && { behavior }),
    },
    status: {
      ...countsOf(status),
      currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
      ...(conditions && { conditions: conditions as v2.HorizontalPodAutoscalerCondition[] }),
    },
  };
}

function isCpu({ type, resource }: v2.MetricSpec | v2.MetricStatus): boolean {
  return type === 'Resource' && resource?.name === 'cpu';
}

function usageOfCpu<T extends object>(value: T) {
  return { type: 'Resource', resource: { name: 'cpu', ...value } };
}

/** The object's own annotations, with the given ones and no others of this kind. */
function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !ROUND_TRIP.includes(name));
  const annotations = { ...Object.fromEntries(own), ...added };
  const { annotations: _, ...rest } = metadata;
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}

function replicasOf({
  scaleTargetRef,
  minReplicas,
  maxReplicas,
}: v1.HorizontalPodAutoscalerSpec | v2.HorizontalPodAutoscalerSpec) {
  return { scaleTargetRef, ...(minReplicas !== undefined && { minReplicas }), maxReplicas };
}

function countsOf(status: v1.HorizontalPodAutoscalerStatus | v2.HorizontalPodAutoscalerStatus) {
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas } = status;
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    currentReplicas,
    desiredReplicas,
  };
}

function shareOf(current: readonly v2.MetricStatus[]) {
  const shares = current.filter(isCpu).flatMap(({ resource }) => resource?.current.averageUtilization ?? []);
  const last = shares.at(-1);
  return last === undefined ? {} : { currentCPUUtilizationPercentage: last };
}
