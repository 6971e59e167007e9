/** The component that handles the streams of a WebSocket for a command or port forwarding. */
type StreamCarrier = 'proxied_to_kubelet' | 'translated_at_apiserver' | 'tunneled_at_apiserver';

/**
 * Metrics of connections.
 * Upstream: k8s.io/apiserver/pkg/util/proxy/metrics, and of logs pkg/registry/core/pod/rest/metrics.go
 */
export interface ConnectionMetrics {
  /** Counts a WebSocket for `subresource` by the component that handles it. */
  streamRouted(subresource: string, carrier: StreamCarrier): void;
  /** Counts the end of a command with translated streams: 200 for any exit code, otherwise the failure's code. */
  streamTranslated(code: number): void;
  /** Counts the response of a port forwarding tunnel. */
  streamTunnelled(code: number): void;
  /** Counts a log request, with or without verification of the kubelet's certificate. */
  logRequested(skipsVerification: boolean): void;
  /** Counts a failed verification of a kubelet's certificate. */
  logTlsFailed(): void;
}

/** Records nothing. */
export const noConnectionMetrics: ConnectionMetrics = {
  streamRouted: () => {},
  streamTranslated: () => {},
  streamTunnelled: () => {},
  logRequested: () => {},
  logTlsFailed: () => {},
};
