/** An operator's settings for metrics. Upstream: k8s.io/component-base/metrics/api/v1.MetricsConfiguration */
export interface MetricSettings {
  /** True to show metrics that this release hides. */
  readonly showHidden: boolean;
  /** Names of metrics that are neither shown nor counted as registered. */
  readonly disabled: ReadonlySet<string>;
  /** Allowed label values, by metric and label. */
  readonly allowedValues: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Histograms have a native form in protobuf, too. Upstream feature gate: NativeHistograms. Default: false. */
  readonly nativeHistograms?: boolean;
}

/**
 * Histograms whose buckets are those of Go's library by default, which a native histogram is without.
 * Upstream: newHistogram of github.com/prometheus/client_golang
 */
export const HISTOGRAMS_WITHOUT_BOUNDS: ReadonlySet<string> = new Set([
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'authentication_token_cache_request_duration_seconds',
]);

export const DEFAULT_METRIC_SETTINGS: MetricSettings = {
  showHidden: false,
  disabled: new Set(),
  allowedValues: new Map(),
};

/** Stands for all label values that are not allowed. */
export const UNEXPECTED = 'unexpected';

/** Indexes mappings such as `metric,label` to `value,value`, which must be valid. Upstream: SetLabelAllowList */
export function allowedValuesOf(mapping: Iterable<readonly [string, string]>): MetricSettings['allowedValues'] {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of mapping) {
    const [metric = '', label = ''] = key.split(',');
    const labels = allowed.get(metric) ?? new Map();
    allowed.set(metric, labels.set(label, new Set(values.split(','))));
  }
  return allowed;
}
