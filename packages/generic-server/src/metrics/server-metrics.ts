import type { MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import type { VersionInfo } from '@apiserver/component-base/version';
import type { EndpointMetrics } from '@apiserver/endpoints-installer';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { AuthenticationMetrics, AuthorizationMetrics } from './authentication-metrics.js';
import { createEndpointMetrics } from './endpoint-metrics.js';
import { type ImpersonationMetrics, impersonationMetrics } from './impersonation-metrics.js';
import { InFlightMetrics } from './in-flight-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { SliMetrics } from './sli-metrics.js';

/** Metrics of the servers in one process. */
export interface ServerMetrics {
  readonly requests: RequestMetrics;
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

const made = new WeakMap<MetricsRegistry, ServerMetrics>();

/** The metrics of a registry: servers of one chain share both. */
export function serverMetricsOf({ metrics: registry, version, longRunning, now }: MetricsConfig): ServerMetrics {
  const known = made.get(registry);
  if (known !== undefined) return known;
  const requests = new RequestMetrics(registry);
  const metrics: ServerMetrics = {
    requests,
    endpoints: createEndpointMetrics(registry, (exchange) => requests.track(exchange, longRunning(exchange))),
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
  made.set(registry, metrics);
  return metrics;
}

/** Upstream: k8s.io/component-base/metrics/prometheus/version */
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
}
