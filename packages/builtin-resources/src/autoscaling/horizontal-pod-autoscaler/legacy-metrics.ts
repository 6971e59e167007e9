import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '@apiserver/api/autoscaling/v2';
import { definedMembers } from '@apiserver/apimachinery/json';
import { Quantity } from '@apiserver/apimachinery/values';
import type { LegacyMetric, LegacyMetricStatus } from './annotated-form.js';

/** A missing quantity is zero. Upstream: the functions of pkg/apis/autoscaling/v1/conversion.go */
export function toLegacyMetric(metric: MetricSpec): LegacyMetric {
  const { type, object, pods, resource, containerResource, external } = metric;
  const usage = ({ averageUtilization, averageValue }: MetricTarget) =>
    definedMembers({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
  return definedMembers({
    type,
    object:
      object &&
      definedMembers({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      definedMembers({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    resource: resource && { name: resource.name, ...usage(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...usage(containerResource.target),
      container: containerResource.container,
    },
    external:
      external &&
      definedMembers({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  }) as LegacyMetric;
}

/** The fields that are set determine the type of the target. */
export function fromLegacyMetric(metric: LegacyMetric): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  const usage = (source: NonNullable<LegacyMetric['resource']>): MetricTarget => {
    const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
    const kind = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
    return definedMembers({ type: kind, averageValue, averageUtilization }) as MetricTarget;
  };
  const amount = (fields: Omit<MetricTarget, 'type'>, kind: string) =>
    definedMembers({ type: kind, ...fields }) as MetricTarget;
  return definedMembers({
    type,
    object: object && {
      describedObject: object.target,
      target: targetOfObject(object),
      metric: definedMembers({ name: object.metricName, selector: object.selector }),
    },
    pods: pods && {
      metric: definedMembers({ name: pods.metricName, selector: pods.selector }),
      target: amount({ averageValue: pods.targetAverageValue }, 'AverageValue'),
    },
    resource: resource && { name: resource.name, target: usage(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: usage(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: definedMembers({ name: external.metricName, selector: external.metricSelector }),
      target: amount(
        definedMembers({ value: external.targetValue, averageValue: external.targetAverageValue }) as Omit<
          MetricTarget,
          'type'
        >,
        external.targetValue === undefined ? 'AverageValue' : 'Value',
      ),
    },
  }) as MetricSpec;
}

/**
 * An average has a total of zero, for which the legacy form has no absence. It is dropped: no target may be zero.
 * Upstream: kubernetes/kubernetes#137856
 */
function targetOfObject({ targetValue, averageValue }: NonNullable<LegacyMetric['object']>): MetricTarget {
  if (averageValue === undefined) return { type: 'Value', value: targetValue };
  const isZero = Quantity.parse(targetValue).sign === 0;
  return { type: 'AverageValue', ...(!isZero && { value: targetValue }), averageValue };
}

/** Like `toLegacyMetric`, for a status. */
export function toLegacyStatus(status: MetricStatus): LegacyMetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  const measured = ({ averageUtilization, averageValue = '0' }: MetricValueStatus) =>
    definedMembers({ currentAverageUtilization: averageUtilization, currentAverageValue: averageValue });
  return definedMembers({
    type,
    object:
      object &&
      definedMembers({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      definedMembers({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    resource: resource && { name: resource.name, ...measured(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...measured(containerResource.current),
      container: containerResource.container,
    },
    external:
      external &&
      definedMembers({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? '0',
        currentAverageValue: external.current.averageValue,
      }),
  }) as LegacyMetricStatus;
}

/** Like `fromLegacyMetric`, for a status. */
export function fromLegacyStatus(status: LegacyMetricStatus): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  const measured = (source: NonNullable<LegacyMetricStatus['resource']>) =>
    definedMembers({ averageValue: source.currentAverageValue, averageUtilization: source.currentAverageUtilization });
  return definedMembers({
    type,
    object: object && {
      metric: definedMembers({ name: object.metricName, selector: object.selector }),
      current: definedMembers({ value: object.currentValue, averageValue: object.averageValue }),
      describedObject: object.target,
    },
    pods: pods && {
      metric: definedMembers({ name: pods.metricName, selector: pods.selector }),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: measured(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: measured(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: definedMembers({ name: external.metricName, selector: external.metricSelector }),
      current: definedMembers({ value: external.currentValue, averageValue: external.currentAverageValue }),
    },
  }) as MetricStatus;
}
