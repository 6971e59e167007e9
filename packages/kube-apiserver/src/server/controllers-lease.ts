import type { Lease } from '@apiserver/api/coordination/v1';
import type { ControllersOptions } from '@apiserver/controllers';
import { LEASES, type LeaderElectionTimers, LeaderLease, runWhileLeading } from '@apiserver/controlplane';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** Upstream: the defaults of kube-controller-manager's flags `--leader-elect-*` */
const TIMERS: LeaderElectionTimers = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

/**
 * The election among servers of one store, by the lease kube-system/kube-apiserver-controllers. One of them runs the
 * controllers. A server that stops releases the lease.
 */
export function controllersLease(
  config: CompletedKubeApiServerConfig,
): NonNullable<ControllersOptions['whileLeading']> {
  const { generic, hostname, newUid, randomInt: random } = config;
  const { clock, loopback } = generic;
  const logger = generic.logger.named('controllers');
  const lease = new LeaderLease({
    client: loopback.client.resource<Lease>(LEASES),
    namespace: 'kube-system',
    name: 'kube-apiserver-controllers',
    identity: `${hostname}_${newUid()}`,
    leaseDuration: TIMERS.leaseDuration,
    clock,
    logger,
  });
  return (lead, signal) => runWhileLeading({ lease, timers: TIMERS, lead, clock, random, logger }, signal);
}
