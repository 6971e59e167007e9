import { createHash } from 'node:crypto';
import type { Flag } from '@apiserver/component-base/flags';
import type { CompletedOptions } from './complete-options.js';

/**
 * Flags that affect neither the first objects of a server nor their bytes at rest, by reason. Any other flag counts:
 * if its value differs from the build's, the server creates the first objects by requests.
 */
export const NEUTRAL_FLAGS: Readonly<Record<string, readonly string[]>> = {
  'where files and objects lie': ['data-dir', 'cert-dir', 'storage-backend', 'etcd-servers', 'etcd-prefix'],
  'how other machines reach the server': [
    ...['advertise-port', 'goaway-chance', 'peer-advertise-ip', 'peer-advertise-port'],
    ...['advertise-address', 'bind-address', 'external-hostname', 'secure-port', 'permit-address-sharing'],
    ...['permit-port-sharing', 'http2-max-streams-per-connection', 'disable-http2-serving'],
    ...['tls-cert-file', 'tls-cipher-suites', 'tls-curve-preferences', 'tls-min-version', 'tls-private-key-file'],
    ...['tls-sni-cert-key', 'cors-allowed-origins', 'strict-transport-security-directives'],
  ],
  'who comes in: the first objects are written by the server itself': [
    ...['anonymous-auth', 'api-audiences', 'authorization-mode', 'client-ca-file', 'token-auth-file'],
    ...['authentication-token-webhook-config-file', 'authentication-token-webhook-version'],
    ...['authentication-token-webhook-cache-ttl', 'authorization-webhook-config-file', 'authorization-webhook-version'],
    ...['authorization-webhook-cache-authorized-ttl', 'authorization-webhook-cache-unauthorized-ttl'],
    ...['authorization-config', 'authorization-policy-file'],
    ...['requestheader-allowed-names', 'requestheader-client-ca-file', 'requestheader-extra-headers-prefix'],
    ...['requestheader-group-headers', 'requestheader-uid-headers', 'requestheader-username-headers'],
    ...['service-account-extend-token-expiration', 'service-account-issuer', 'service-account-jwks-uri'],
    ...['service-account-key-file', 'service-account-lookup', 'service-account-max-token-expiration'],
    ...[
      'service-account-signing-key-file',
      'service-account-signing-endpoint',
      'enable-bootstrap-token-auth',
      'authentication-config',
      'oidc-ca-file',
    ],
    ...['oidc-client-id', 'oidc-groups-claim', 'oidc-groups-prefix', 'oidc-issuer-url', 'oidc-required-claim'],
    ...['oidc-signing-algs', 'oidc-username-claim', 'oidc-username-prefix'],
  ],
  'objects of other kinds': [
    ...['allow-privileged', 'event-ttl', 'default-not-ready-toleration-seconds'],
    ...['default-unreachable-toleration-seconds', 'service-cluster-ip-range', 'service-node-port-range'],
    ...['kubernetes-service-node-port', 'apiserver-count', 'endpoint-reconciler-type', 'controllers'],
  ],
  'what operators see': [
    ...['allow-metric-labels', 'allow-metric-labels-manifest', 'disabled-metrics', 'show-hidden-metrics-for-version'],
    ...['enable-logs-handler'],
  ],
  'leases that are made later': [
    ...['coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'],
    ...['coordinated-leadership-retry-period'],
  ],
  'powers of tests over a server that has its objects': [...['test-endpoint', 'test-endpoint-file']],
  'where the server goes itself': [
    ...['egress-selector-config-file', 'kubelet-read-only-port', 'peer-ca-file'],
    ...['kubelet-certificate-authority', 'kubelet-client-certificate', 'kubelet-client-key', 'kubelet-port'],
    ...['kubelet-preferred-address-types', 'kubelet-timeout', 'proxy-client-cert-file', 'proxy-client-key-file'],
    ...['max-connection-bytes-per-sec', 'enable-aggregator-routing', 'aggregator-reject-forwarding-redirect'],
  ],
  'how many requests, and how long': [
    ...['max-requests-inflight', 'max-mutating-requests-inflight', 'request-timeout', 'min-request-timeout'],
    ...['enable-priority-and-fairness'],
    ...['livez-grace-period', 'storage-initialization-timeout', 'shutdown-delay-duration'],
    ...['shutdown-send-retry-after', 'shutdown-watch-termination-grace-period'],
  ],
  'reports about the server; the logger itself knows whether it names objects': [
    ...['log-json-split-stream', 'log-json-info-buffer-size', 'log-text-split-stream', 'log-text-info-buffer-size'],
    ...['v', 'vmodule', 'logging-format', 'log-flush-frequency', 'profiling', 'contention-profiling'],
    ...['debug-socket-path', 'etcd-count-metric-poll-period', 'etcd-db-metric-poll-interval'],
    ...['etcd-healthcheck-timeout', 'etcd-readycheck-timeout', 'etcd-compaction-interval'],
  ],
  'flags of the command, not of the server': ['help', 'version'],
};

/**
 * A hash of all options that affect the first objects: servers of one build with the same hash create the same
 * objects.
 */
export function optionsFingerprint(options: Pick<CompletedOptions, 'flagSets'>): string {
  const neutral = new Set(Object.values(NEUTRAL_FLAGS).flat());
  const counting = options
    .flagSets()
    .all()
    .filter(({ name }: Flag) => !neutral.has(name))
    .map(({ name, value }: Flag) => [name, value.toString()]);
  return createHash('sha256').update(JSON.stringify(counting)).digest('hex');
}
