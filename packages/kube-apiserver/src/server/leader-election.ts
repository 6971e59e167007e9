import type { GroupResource } from '@apiserver/apimachinery';
import { LEASE_CANDIDATES, leaderElectionController } from '@apiserver/controlplane';
import type { GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';

/** Runs coordinated leader election if its gate is on. The lease is released while the server still responds. */
export function addLeaderElection(server: GenericServer, config: CompletedKubeApiServerConfig): void {
  const { generic, hostname, leaderElection: timers, newUid, randomInt: random, storage } = config;
  if (timers === undefined) return;
  const { clock, metrics, signals } = generic;
  const logger = generic.logger.named('leader-election');
  const controller = leaderElectionController({
    hostname,
    newUid,
    timers,
    metrics,
    clock,
    random,
    logger,
    whenReady: () => afterReadiness(signals),
    firstUse: (resource: GroupResource) => storage.provider.firstUse(resource),
  });
  server.addPostStartHook(controller.name, async (context) => {
    if (config.enabled.isEnabled(LEASE_CANDIDATES)) return controller.run(context);
    logger.warning('No elections without LeaseCandidates: set --runtime-config=coordination.k8s.io/v1beta1=true');
  });
  server.addPreShutdownHook('stop-kube-apiserver-coordinated-leader-election-controller', () => controller.stop());
}
