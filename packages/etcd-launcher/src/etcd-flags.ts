import type { GoFlagType } from './go-flags.js';

/**
 * The meaning of a flag to a launcher that keeps no keys itself:
 * - `used`: as in etcd;
 * - `without effect`: it tunes a part that is missing here (raft, peers, the backend); the log says so if it is set;
 * - `refused`: it asks for a part that is missing here, such as more members or a check of clients.
 */
type EtcdFlagRole = 'used' | 'without effect' | 'refused';

/** A flag of etcd. */
export interface EtcdFlag {
  readonly name: string;
  readonly type: GoFlagType;
  readonly role: EtcdFlagRole;
}

type FlagNames = Readonly<Partial<Record<GoFlagType, readonly string[]>>>;

const used: FlagNames = {
  string: [
    ...['name', 'data-dir', 'listen-client-urls', 'listen-client-http-urls', 'listen-metrics-urls'],
    ...['advertise-client-urls', 'listen-peer-urls', 'cert-file', 'key-file', 'trusted-ca-file', 'tls-min-version'],
    ...['tls-max-version', 'log-level', 'log-outputs', 'logger', 'initial-cluster', 'initial-cluster-state'],
  ],
  bool: ['client-cert-auth', 'unsafe-no-fsync', 'version'],
};

const refused: FlagNames = {
  string: [
    ...['config-file', 'discovery', 'discovery-endpoints', 'discovery-token', 'discovery-cert', 'discovery-key'],
    ...['discovery-cacert', 'discovery-user', 'discovery-password', 'discovery-proxy', 'discovery-srv'],
    ...['discovery-srv-name', 'discovery-fallback', 'client-crl-file', 'client-cert-allowed-hostname'],
    ...['cipher-suites', 'cors', 'host-whitelist', 'auth-token'],
  ],
  bool: [
    ...['auto-tls', 'force-new-cluster', 'enable-pprof', 'enable-log-rotation', 'enable-distributed-tracing'],
    ...[
      'experimental-enable-distributed-tracing',
      'discovery-insecure-transport',
      'discovery-insecure-skip-tls-verify',
    ],
  ],
  duration: [
    ...['discovery-dial-timeout', 'discovery-request-timeout', 'discovery-keepalive-time'],
    ...['discovery-keepalive-timeout'],
  ],
};

const withoutEffect: FlagNames = {
  string: [
    ...['wal-dir', 'initial-advertise-peer-urls', 'initial-cluster-token', 'backend-bbolt-freelist-type'],
    ...['client-cert-file', 'client-key-file', 'peer-cert-file', 'peer-key-file', 'peer-client-cert-file'],
    ...['peer-client-key-file', 'peer-trusted-ca-file', 'peer-crl-file', 'peer-cert-allowed-cn'],
    ...['peer-cert-allowed-hostname', 'log-format', 'log-rotation-config-json', 'auto-compaction-retention'],
    ...['auto-compaction-mode', 'metrics', 'distributed-tracing-address', 'distributed-tracing-service-name'],
    ...['distributed-tracing-instance-id', 'experimental-distributed-tracing-address'],
    ...['experimental-distributed-tracing-service-name', 'experimental-distributed-tracing-instance-id'],
    ...['feature-gates', 'v2-deprecation'],
  ],
  // etcd itself ignores these since 2.0.
  anything: [
    ...['cluster-active-size', 'cluster-remove-delay', 'cluster-sync-interval', 'config', 'force', 'max-result-buffer'],
    ...['max-retry-attempts', 'peer-heartbeat-interval', 'peer-election-timeout', 'retry-interval', 'snapshot'],
    ...['v', 'vv', 'test.coverprofile', 'test.outputdir'],
  ],
  bool: [
    ...['initial-election-tick-advance', 'socket-reuse-port', 'socket-reuse-address', 'strict-reconfig-check'],
    ...['pre-vote', 'peer-client-cert-auth', 'peer-auto-tls', 'peer-skip-client-san-verification'],
    ...['experimental-peer-skip-client-san-verification', 'enable-grpc-gateway', 'memory-mlock'],
    ...['experimental-initial-corrupt-check', 'experimental-compact-hash-check-enabled'],
    ...['experimental-enable-lease-checkpoint', 'experimental-enable-lease-checkpoint-persist'],
    ...['experimental-memory-mlock', 'experimental-txn-mode-write-with-shared-buffer'],
    ...['experimental-stop-grpc-service-on-defrag'],
  ],
  uint: [
    ...['max-snapshots', 'max-wals', 'snapshot-count', 'heartbeat-interval', 'election-timeout', 'max-txn-ops'],
    ...['max-request-bytes', 'max-concurrent-streams', 'self-signed-cert-validity', 'bcrypt-cost', 'auth-token-ttl'],
    ...['bootstrap-defrag-threshold-megabytes', 'experimental-bootstrap-defrag-threshold-megabytes'],
    ...['snapshot-catchup-entries', 'experimental-snapshot-catchup-entries'],
  ],
  int: [
    ...['quota-backend-bytes', 'backend-batch-limit', 'distributed-tracing-sampling-rate'],
    ...['experimental-distributed-tracing-sampling-rate', 'compaction-batch-limit', 'max-learners'],
    ...['experimental-compaction-batch-limit'],
  ],
  duration: [
    ...['backend-batch-interval', 'grpc-keepalive-min-time', 'grpc-keepalive-interval', 'grpc-keepalive-timeout'],
    ...['raft-read-timeout', 'raft-write-timeout', 'corrupt-check-time', 'experimental-corrupt-check-time'],
    ...['compact-hash-check-time', 'experimental-compact-hash-check-time', 'compaction-sleep-interval'],
    ...['experimental-compaction-sleep-interval', 'watch-progress-notify-interval', 'downgrade-check-time'],
    ...['experimental-watch-progress-notify-interval', 'experimental-downgrade-check-time'],
    ...['warning-apply-duration', 'experimental-warning-apply-duration', 'warning-unary-request-duration'],
    ...['experimental-warning-unary-request-duration'],
  ],
};

/** Every flag of etcd 3.6. Upstream: go.etcd.io/etcd/server/v3/embed.Config.AddFlags, etcdmain.newConfig */
export function etcdFlags(): ReadonlyMap<string, EtcdFlag> {
  const flags = [...list('used', used), ...list('refused', refused), ...list('without effect', withoutEffect)];
  return new Map(flags.map((flag) => [flag.name, flag]));
}

function list(role: EtcdFlagRole, byType: FlagNames): readonly EtcdFlag[] {
  return flagTypes.flatMap((type) => (byType[type] ?? []).map((name) => ({ name, type, role })));
}

const flagTypes: readonly GoFlagType[] = ['string', 'bool', 'uint', 'int', 'duration', 'anything'];
