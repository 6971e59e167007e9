import { messageOf } from '@apiserver/apimachinery/errors';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { BackendDialer } from '@apiserver/rest-client';
import type { Connection, EgressSelectorConfiguration } from './egress-configuration.js';
import { EgressMetrics } from './egress-metrics.js';
import { httpConnectDialer, proxyTargetOf } from './http-connect.js';

/** The networks into which a server goes. Upstream: EgressType of k8s.io/apiserver/pkg/server/egressselector */
type EgressType = 'controlplane' | 'etcd' | 'cluster';

/** Finds the dialer of a network; undefined for one that is reached straight. */
export type EgressSelector = (type: EgressType) => BackendDialer | undefined;

/** A selection that this server cannot use. */
class EgressError extends Error {}

/**
 * Makes the dialers of a valid configuration. Throws an EgressError for files that cannot be read and for parts that are
 * not built.
 * Upstream: NewEgressSelector of k8s.io/apiserver/pkg/server/egressselector
 */
export function newEgressSelector(
  { egressSelections }: EgressSelectorConfiguration,
  registry: MetricsRegistry,
): EgressSelector {
  const metrics = new EgressMetrics(registry);
  const dialers = new Map<string, BackendDialer>();
  for (const { name, connection } of egressSelections ?? []) {
    const type = name.toLowerCase();
    try {
      const dialer = dialerOf(connection, metrics);
      if (dialer === undefined) continue;
      if (type === 'etcd') throw new EgressError('connections to etcd are always direct in this server');
      dialers.set(type, dialer);
    } catch (error) {
      throw new EgressError(`failed to create dialer for egressSelection "${type}": ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return (type) => dialers.get(type);
}

function dialerOf({ proxyProtocol, transport }: Connection, metrics: EgressMetrics): BackendDialer | undefined {
  if (proxyProtocol === 'Direct') return undefined;
  if (proxyProtocol === 'GRPC') throw new EgressError('the protocol GRPC is not built in this server');
  const transportName = transport?.uds === undefined ? 'tcp' : 'uds';
  return metrics.measured(httpConnectDialer(proxyTargetOf(transport)), 'http_connect', transportName);
}
