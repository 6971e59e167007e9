import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { PacketType } from './packet.js';

/** Reasons for a failed dial. Upstream: DialFailureReason of konnectivity-client/pkg/client/metrics */
export type DialFailureReason = 'unknown' | 'timeout' | 'context' | 'endpoint' | 'dialclosed' | 'tunnelclosed';

/** The state of a tunnel. Upstream: ClientConnectionStatus */
export type TunnelStatus = 'created' | 'dialing' | 'ok';

/** Where packets go. Upstream: Segment of konnectivity-client/pkg/common/metrics */
export type Segment = 'from_client' | 'to_client';

/** Metrics of tunnels through a konnectivity server. Upstream: konnectivity-client/pkg/client/metrics */
export class KonnectivityMetrics {
  readonly #packets;
  readonly #errors;
  readonly #failures;
  readonly #tunnels;

  constructor(registry: MetricsRegistry) {
    this.#packets = registry.counter({
      name: 'konnectivity_network_proxy_client_stream_packets_total',
      help: 'Packets of tunnels, by segment and type.',
      labels: ['segment', 'packet_type'],
    });
    this.#errors = registry.counter({
      name: 'konnectivity_network_proxy_client_stream_errors_total',
      help: 'Errors of gRPC streams, by segment, code and type of the packet.',
      labels: ['segment', 'code', 'packet_type'],
    });
    this.#failures = registry.counter({
      name: 'konnectivity_network_proxy_client_dial_failure_total',
      help: 'Connections that failed, by reason.',
      labels: ['reason'],
    });
    this.#tunnels = registry.gauge({
      name: 'konnectivity_network_proxy_client_client_connections',
      help: 'Open tunnels, by status.',
      labels: ['status'],
    });
  }

  packet(segment: Segment, type: PacketType): void {
    this.#packets.with({ segment, packet_type: type }).value++;
  }

  /** `code` in Go's words. */
  streamError(segment: Segment, code: string, type: PacketType): void {
    this.#errors.with({ segment, code, packet_type: type }).value++;
  }

  dialFailed(reason: DialFailureReason): void {
    this.#failures.with({ reason }).value++;
  }

  /** Counts a tunnel in `to`, which was in `from` before; undefined for a new and a closed one. */
  moved(from: TunnelStatus | undefined, to: TunnelStatus | undefined): void {
    if (from !== undefined) this.#tunnels.with({ status: from }).value--;
    if (to !== undefined) this.#tunnels.with({ status: to }).value++;
  }
}
