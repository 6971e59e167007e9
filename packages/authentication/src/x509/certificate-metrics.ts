import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** From half an hour to 360 days. */
const BOUNDS = [0, 0.5, 1, 2, 6, 12, 24, 48, 96, 168, 720, 2160, 4320, 8640].map((hours) => hours * 3600);

/**
 * Registers the metric of client certificates. The result observes the seconds until one expires.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/x509/x509.go
 */
export function createCertificateMetrics(registry: MetricsRegistry): (seconds: number) => void {
  const description = {
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'Time that the certificates of clients still have, in seconds.',
    labels: [],
  } as const;
  const remaining = registry.histogram(description, BOUNDS).with({});
  return (seconds) => remaining.observe(seconds);
}
