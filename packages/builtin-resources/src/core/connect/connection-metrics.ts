/** Who carries the streams of a command or of forwarded ports that came by WebSocket. */
export type StreamCarrier = 'proxied_to_kubelet' | 'translated_at_apiserver' | 'tunneled_at_apiserver';

/**
 * What connections count.
 * Upstream: k8s.io/apiserver/pkg/util/proxy/metrics, and of logs pkg/registry/core/pod/rest/metrics.go
 */
export interface ConnectionMetrics {
  /** A WebSocket for `subresource` was given to somebody to carry. */
  streamRouted(subresource: string, carrier: StreamCarrier): void;
  /** A command whose streams were translated here has ended: 200 whatever its own exit code, else what went wrong. */
  streamTranslated(code: number): void;
  /** A tunnel for forwarded ports was answered. */
  streamTunnelled(code: number): void;
  /** A log was asked for, with the kubelet's certificate verified or not. */
  logRequested(skipsVerification: boolean): void;
  /** A kubelet's certificate did not verify. */
  logTlsFailed(): void;
}

/** Counts nothing. */
export const noConnectionMetrics: ConnectionMetrics = {
  streamRouted: () => {},
  streamTranslated: () => {},
  streamTunnelled: () => {},
  logRequested: () => {},
  logTlsFailed: () => {},
};
