import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ConnectionMetrics } from './connection-metrics.js';

/** Registers metrics of connections to kubelets. Upstream: see ConnectionMetrics */
export function createConnectionMetrics(registry: MetricsRegistry): ConnectionMetrics {
  const routed = registry.counter({
    name: 'apiserver_websocket_streaming_requests_total',
    help: 'WebSockets for exec, attach and portforward, by subresource and by who carries their streams.',
    labels: ['subresource', 'proxy_type'],
  });
  const translated = registry.counter({
    name: 'apiserver_stream_translator_requests_total',
    help: 'Commands whose streams were translated between WebSocket and SPDY.',
    labels: ['code'],
  });
  const tunnelled = registry.counter({
    name: 'apiserver_stream_tunnel_requests_total',
    help: 'Tunnels of SPDY through WebSockets, for forwarded ports.',
    labels: ['code'],
  });
  const logs = registry.counter({
    name: 'kube_apiserver_pod_logs_insecure_backend_total',
    help: 'Logs asked for, by whether the kubelet had to show a certificate that verifies.',
    labels: ['usage'],
  });
  const failures = registry.counter({
    name: 'kube_apiserver_pod_logs_backend_tls_failure_total',
    help: "Logs that failed because the kubelet's certificate did not verify.",
    labels: [],
  });
  return {
    streamRouted: (subresource, carrier) => void routed.with({ subresource, proxy_type: carrier }).value++,
    streamTranslated: (code) => void translated.with({ code: String(code) }).value++,
    streamTunnelled: (code) => void tunnelled.with({ code: String(code) }).value++,
    logRequested: (skips) => void logs.with({ usage: skips ? 'skip_tls_allowed' : 'enforce_tls' }).value++,
    logTlsFailed: () => void failures.with({}).value++,
  };
}
