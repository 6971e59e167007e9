import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import type { GroupVersionResource } from '@apiserver/apimachinery';
import { type Clock, whenAborted } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { createWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { createInformer } from '@apiserver/registry-store';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';
import { LEASES } from '../leases.js';
import { collectCandidates } from './collect-candidates.js';
import { LeaderLease } from './leader-lease.js';
import { runElections } from './run-elections.js';
import { type LeaderElectionTimers, runWhileLeading } from './run-while-leading.js';

const NAME = 'leader-election-controller';

/** The resource whose objects stand for elections; the server must serve it. */
export const LEASE_CANDIDATES: GroupVersionResource = {
  group: 'coordination.k8s.io',
  version: 'v1beta1',
  resource: 'leasecandidates',
};

/** Dependencies of the controller. */
export interface LeaderElectionOptions {
  readonly hostname: string;
  /** Makes the identity of this run unique. */
  readonly newUid: () => string;
  readonly timers: LeaderElectionTimers;
  /** Resolves when the server is ready: readiness does not depend on this controller. */
  whenReady(): Promise<void>;
  /** Resolves when a resource is first used; undefined if it may have objects. */
  firstUse(resource: GroupVersionResource): Promise<void> | undefined;
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** The hook, and the action before the server stops. */
export interface LeaderElectionController extends ControllerHook {
  /** Gives up the lease, so that another server leads at once. */
  stop(): Promise<void>;
}

/**
 * Coordinated leader election: elects the holders of leases among LeaseCandidates. Of several servers one does this at
 * a time, by the lease kube-system/leader-election-controller.
 * Upstream: pkg/controlplane/controller/leaderelection, and its hook in pkg/controlplane/apiserver/server.go
 */
export function leaderElectionController(options: LeaderElectionOptions): LeaderElectionController {
  const stopped = new AbortController();
  const metrics = leaderMetrics(options.metrics);
  let ended = Promise.resolve();
  return {
    name: 'start-kube-apiserver-coordinated-leader-election-controller',
    async run({ loopbackClient, signal }) {
      const context = { loopbackClient, signal: AbortSignal.any([signal, stopped.signal]) };
      ended = compete(context, options, metrics);
    },
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}

async function compete(context: ControllerContext, options: LeaderElectionOptions, metrics: LeaderMetrics) {
  const { hostname, newUid, timers, whenReady, clock, random, logger } = options;
  const { loopbackClient, signal } = context;
  // A server that stops may never become ready.
  await Promise.race([whenReady().catch(() => {}), whenAborted(signal)]);
  const lease = new LeaderLease({
    client: loopbackClient.resource<Lease>(LEASES),
    namespace: 'kube-system',
    name: NAME,
    identity: `${hostname}_${newUid()}`,
    leaseDuration: timers.leaseDuration,
    onSlowRenewal: metrics.slowRenewal,
    clock,
    logger,
  });
  const lead = (term: AbortSignal) => holdElections(loopbackClient, options, term);
  await runWhileLeading({ lease, timers, lead, onChange: metrics.changed, clock, random, logger }, signal);
}

async function holdElections(client: LoopbackClient, options: LeaderElectionOptions, signal: AbortSignal) {
  const { firstUse, clock, random, logger } = options;
  const leaseClient = client.resource<Lease>(LEASES);
  const candidateClient = client.resource<LeaseCandidate>(LEASE_CANDIDATES);
  const common = { clock, random, logger };
  await using leases = createInformer({ ...common, client: leaseClient, firstUse: firstUse(LEASES) });
  await using candidates = createInformer({
    ...common,
    client: candidateClient,
    firstUse: firstUse(LEASE_CANDIDATES),
  });
  const metrics = createWorkQueueMetrics(options.metrics, clock)(NAME);
  await Promise.all([
    runElections({ leases, candidates, leaseClient, candidateClient, metrics, clock, logger }, signal),
    collectCandidates({ candidates, candidateClient, clock, logger }, signal),
  ]);
}

interface LeaderMetrics {
  changed(isLeader: boolean): void;
  slowRenewal(): void;
}

/** Upstream: k8s.io/component-base/metrics/prometheus/clientgo/leaderelection */
function leaderMetrics(registry: MetricsRegistry): LeaderMetrics {
  const labels = ['name'] as const;
  const status = registry
    .gauge({ name: 'leader_election_master_status', help: '1 if this process holds the lease, else 0.', labels })
    .with({ name: NAME });
  const slow = registry.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals that had to read the lease first.',
    labels,
  });
  status.value = 0;
  return {
    changed: (isLeader) => {
      status.value = isLeader ? 1 : 0;
    },
    slowRenewal: () => void slow.with({ name: NAME }).value++,
  };
}
