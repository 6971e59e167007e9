import type { Exchange } from '@apiserver/apiserver-contracts';
import type { HistogramSeries, MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import { binaryVersion, type VersionInfo } from '@apiserver/component-base/version';
import type { EndpointMetrics, PostTimeoutObserver } from '@apiserver/endpoints-installer';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { AuthenticationMetrics, AuthorizationMetrics } from './authentication-metrics.js';
import { createEndpointMetrics } from './endpoint-metrics.js';
import { filterDurations } from './filter-durations.js';
import { type ImpersonationMetrics, impersonationMetrics } from './impersonation-metrics.js';
import { InFlightMetrics } from './in-flight-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { SliMetrics } from './sli-metrics.js';

/** Metrics of the servers in one process. */
export interface ServerMetrics {
  readonly requests: RequestMetrics;
  readonly afterTimeout: PostTimeoutObserver;
  /** The series of a filter by its upstream name. */
  readonly filterDurations: (filter: string) => HistogramSeries;
  readonly endpoints: EndpointMetrics;
  readonly inFlight: InFlightMetrics;
  readonly authentication: AuthenticationMetrics;
  readonly authorization: AuthorizationMetrics;
  readonly impersonation: ImpersonationMetrics;
  readonly tlsHandshakeErrors: Series;
  readonly slis: SliMetrics;
}

/** The config of a server's metrics. */
export type MetricsConfig = Pick<GenericServerConfig, 'metrics' | 'version' | 'longRunning' | 'now'>;

/** The metrics of a registry: servers of one chain share both. */
export function serverMetricsOf(config: MetricsConfig): ServerMetrics {
  return config.metrics.memo.of(createServerMetrics, () => createServerMetrics(config));
}

function createServerMetrics({ metrics: registry, version, longRunning, now }: MetricsConfig): ServerMetrics {
  const requests = new RequestMetrics(registry);
  const postTimeouts = registry.counter({
    name: 'apiserver_request_post_timeout_total',
    help: 'Handlers that went on after their requests had timed out, by the source of the timeout and by their end.',
    labels: ['source', 'status'],
  });
  const afterTimeout: PostTimeoutObserver = (source, status) => void postTimeouts.with({ source, status }).value++;
  const request = (exchange: Exchange, measuresRoute: boolean) =>
    requests.track(exchange, { longRunning: longRunning(exchange), measuresRoute });
  const metrics: ServerMetrics = {
    requests,
    afterTimeout,
    filterDurations: filterDurations(registry),
    endpoints: createEndpointMetrics(registry, { request, afterTimeout }),
    inFlight: new InFlightMetrics(registry, requests),
    authentication: new AuthenticationMetrics(registry),
    authorization: new AuthorizationMetrics(registry),
    impersonation: impersonationMetrics(registry),
    slis: new SliMetrics(now() - performance.now()),
    tlsHandshakeErrors: registry
      .counter({ name: 'apiserver_tls_handshake_errors_total', help: 'TLS handshakes that failed.', labels: [] })
      .with({}),
  };
  addBuildInfo(registry, version);
  return metrics;
}

/** Upstream: k8s.io/component-base/metrics/prometheus/version and compatversion */
function addBuildInfo(registry: MetricsRegistry, version: VersionInfo): void {
  const labels = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
  registry.collect({
    name: 'kubernetes_build_info',
    help: 'Always 1; its labels say what is running.',
    type: 'gauge',
    samples: () => [{ labels, value: 1 }],
  });
  const versions = {
    component: 'kube',
    binary: binaryVersion(version),
    emulation: `${version.emulationMajor}.${version.emulationMinor}`,
    min_compat: `${version.minCompatibilityMajor}.${version.minCompatibilityMinor}`,
  };
  registry.collect({
    name: 'version_info',
    help: 'Always 1; its labels are the versions with which the component is compatible.',
    type: 'gauge',
    samples: () => [{ labels: versions, value: 1 }],
  });
}
