/** Upstream: k8s.io/component-base/metrics.StabilityLevel */
export type StabilityLevel = 'STABLE' | 'BETA' | 'ALPHA';

/** Minor releases for which a deprecated metric stays visible. Upstream: deprecationPeriodMinorVersions */
const DEPRECATION_PERIOD: Readonly<Record<StabilityLevel, number>> = { STABLE: 3, BETA: 1, ALPHA: 0 };

/** Facts of Kubernetes 1.36. All metrics that are in neither list are ALPHA. */
const STABLE: ReadonlySet<string> = new Set([
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
  'apiserver_request_duration_seconds',
  'apiserver_request_total',
  'apiserver_requested_deprecated_apis',
  'apiserver_response_sizes',
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_storage_objects',
  'apiserver_storage_size_bytes',
  'kubernetes_healthcheck',
  'kubernetes_healthchecks_total',
]);
const BETA: ReadonlySet<string> = new Set([
  'apiserver_watch_list_duration_seconds',
  'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
  'apiserver_authentication_config_controller_automatic_reloads_total',
  'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
  'apiserver_authorization_config_controller_automatic_reloads_total',
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_dispatched_requests_total',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_flowcontrol_request_wait_duration_seconds',
  'apiserver_storage_events_received_total',
  'apiserver_validating_admission_policy_check_duration_seconds',
  'apiserver_validating_admission_policy_check_total',
  'apiserver_validation_declarative_validation_mismatch_total',
  'apiserver_validation_declarative_validation_panic_total',
  'disabled_metrics_total',
  'hidden_metrics_total',
  'kubernetes_build_info',
  'kubernetes_feature_enabled',
  'registered_metrics_total',
  'running_managed_controllers',
  'workqueue_adds_total',
  'workqueue_depth',
  'workqueue_longest_running_processor_seconds',
  'workqueue_queue_duration_seconds',
  'workqueue_retries_total',
  'workqueue_unfinished_work_seconds',
  'workqueue_work_duration_seconds',
]);

/** The minor releases of version 1 that deprecated metrics. */
const DEPRECATED: ReadonlyMap<string, number> = new Map([
  ['apiserver_request_slo_duration_seconds', 27],
  ['apiserver_flowcontrol_request_concurrency_in_use', 31],
  ['apiserver_flowcontrol_request_concurrency_limit', 30],
  ['apiserver_storage_db_total_size_in_bytes', 28],
  ['apiserver_storage_objects', 34],
  ['etcd_bookmark_counts', 36],
]);

/** The stability of a metric; ALPHA by default. */
export function stabilityOf(metric: string): StabilityLevel {
  if (STABLE.has(metric)) return 'STABLE';
  return BETA.has(metric) ? 'BETA' : 'ALPHA';
}

/** The release that deprecated a metric, such as `1.34.0`; "" for others. */
export function deprecatedSince(metric: string): string {
  const minor = DEPRECATED.get(metric);
  return minor === undefined ? '' : `1.${minor}.0`;
}

/** Reports whether a release of version 1 hides a metric, which may be shown on request. Upstream: shouldHide */
export function isHidden(metric: string, minor: number): boolean {
  const deprecated = DEPRECATED.get(metric);
  return deprecated !== undefined && deprecated + DEPRECATION_PERIOD[stabilityOf(metric)] <= minor;
}

/** The help of a metric with its stability in front. Upstream: annotateStabilityLevel, markDeprecated */
export function annotatedHelp(metric: string, help: string): string {
  const since = deprecatedSince(metric);
  return `[${stabilityOf(metric)}] ${since === '' ? '' : `(Deprecated since ${since}) `}${help}`;
}
