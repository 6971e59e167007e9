import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '@apiserver/api/autoscaling/v2';

const SHOWN = 2;
const UNKNOWN = '<unknown>';
/** A missing quantity as Go prints it. Upstream: String of k8s.io/apimachinery/pkg/api/resource/quantity.go */
const NIL = '<nil>';

/** Current and target values in one cell. Upstream: formatHPAMetrics of pkg/printers/internalversion/printers.go */
export function metricsText(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((metric, i) => metricText(metric, statuses[i]));
  const shown = texts.slice(0, SHOWN).join(', ');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { external, object, pods, resource, containerResource } = metric;
  switch (metric.type) {
    case 'External':
      return amountText(external?.target, status?.external?.current);
    case 'Object':
      return amountText(object?.target, status?.object?.current);
    case 'Pods':
      return `${current(status?.pods?.current, 'averageValue')}/${pods?.target.averageValue ?? NIL}`;
    case 'Resource':
      return `${resource?.name}: ${usageText(resource?.target, status?.resource?.current)}`;
    case 'ContainerResource':
      return `${containerResource?.name}: ${usageText(containerResource?.target, status?.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

/** The total, or the value per pod. */
function amountText(target: MetricTarget | undefined, value: MetricValueStatus | undefined): string {
  if (target?.averageValue === undefined) return `${current(value, 'value')}/${target?.value ?? NIL}`;
  return `${value?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
}

function usageText(target: MetricTarget | undefined, value: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current(value, 'averageValue')}/${target.averageValue}`;
  const percent = (share: number | undefined, absent: string) => (share === undefined ? absent : `${share}%`);
  return `${percent(value?.averageUtilization, UNKNOWN)}/${percent(target?.averageUtilization, '<auto>')}`;
}

/** A status without the quantity shows nil. */
function current(value: MetricValueStatus | undefined, field: 'value' | 'averageValue'): string {
  return value === undefined ? UNKNOWN : (value[field] ?? NIL);
}
