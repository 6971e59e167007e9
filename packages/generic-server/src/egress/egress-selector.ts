import type { Clock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { inSpan } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { hostOf } from '@apiserver/proxy/backend';
import type { BackendDialer } from '@apiserver/rest-client';
import type { Connection, EgressSelectorConfiguration } from './egress-configuration.js';
import { EgressMetrics } from './egress-metrics.js';
import { httpConnectDialer, proxyTargetOf } from './http-connect.js';
import { konnectivityDialer, type TunnelOptions } from './konnectivity/konnectivity-dialer.js';
import { KonnectivityMetrics } from './konnectivity/konnectivity-metrics.js';

/** The networks into which a server goes. Upstream: EgressType of k8s.io/apiserver/pkg/server/egressselector */
type EgressType = 'controlplane' | 'etcd' | 'cluster';

/** Finds the dialer of a network; undefined for one that is reached straight. */
export type EgressSelector = (type: EgressType) => BackendDialer | undefined;

/** A selection that cannot be used. */
class EgressError extends Error {}

/** Dependencies of the dialers. */
export interface EgressDependencies {
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
}

/**
 * Makes the dialers of a valid configuration. Throws an EgressError for files that cannot be read.
 * Upstream: NewEgressSelector of k8s.io/apiserver/pkg/server/egressselector
 */
export function newEgressSelector(
  { egressSelections }: EgressSelectorConfiguration,
  { metrics: registry, clock }: EgressDependencies,
): EgressSelector {
  const metrics = new EgressMetrics(registry);
  const tunnels = { clock, metrics: new KonnectivityMetrics(registry) };
  const dialers = new Map<string, BackendDialer>();
  for (const { name, connection } of egressSelections ?? []) {
    const type = name.toLowerCase();
    try {
      const dialer = dialerOf(connection, metrics, tunnels);
      if (dialer !== undefined) dialers.set(type, dialer);
    } catch (error) {
      throw new EgressError(`failed to create dialer for egressSelection "${type}": ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return (type) => dialers.get(type);
}

function dialerOf(
  { proxyProtocol, transport }: Connection,
  metrics: EgressMetrics,
  tunnels: TunnelOptions,
): BackendDialer | undefined {
  if (proxyProtocol === 'Direct') return undefined;
  const transportName = transport?.uds === undefined ? 'tcp' : 'uds';
  const isGrpc = proxyProtocol === 'GRPC';
  const dial = isGrpc
    ? konnectivityDialer(transport?.uds?.udsName ?? '', tunnels)
    : httpConnectDialer(proxyTargetOf(transport));
  const protocol = isGrpc ? 'grpc' : 'http_connect';
  return traced(metrics.measured(dial, protocol, transportName), protocol, transportName);
}

/** A connection that a traced request needs is a span. */
function traced(dial: BackendDialer, protocol: string, transport: string): BackendDialer {
  const name = `Proxy via ${protocol} protocol over ${transport}`;
  return (target, signal) =>
    inSpan({ name, attributes: () => ({ address: hostOf({ ...target, port: String(target.port) }) }) }, () =>
      dial(target, signal),
    );
}
