import type { Lease } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { type Clock, inSlices, sleep, whenAborted } from '@apiserver/apimachinery/clock';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { CandidateIndex, leaseKey } from './candidates.js';
import { writeElected } from './elected-lease.js';
import { nextStep, type Step } from './election.js';

/** Interval at which a lease with candidates is looked at. Upstream: defaultRequeueInterval */
const LOOK_MS = 5_000;

/** Dependencies of elections. The owner of the informers disposes them. */
export interface ElectionOptions {
  readonly leases: Informer<Lease>;
  readonly candidates: Informer<LeaseCandidate>;
  readonly leaseClient: Pick<ResourceClient<Lease>, 'get' | 'create' | 'update'>;
  readonly candidateClient: Pick<ResourceClient<LeaseCandidate>, 'update'>;
  readonly metrics: WorkQueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Elects the holders of leases that have candidates, until the signal aborts. Resolves when nothing of it is under way.
 * Upstream: pkg/controlplane/controller/leaderelection/leaderelection_controller.go
 */
export async function runElections(options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const { leases, candidates, metrics, clock, logger } = options;
  await Promise.all([leases.synced(signal), candidates.synced(signal)]).catch(() => {});
  if (signal.aborted) return;
  const index = new CandidateIndex();
  const pending = new Set<string>();
  /** A change in between does not delay the next look: a response to a ping counts only during the pause. */
  const lookLater = (key: string) => {
    if (pending.has(key)) return;
    pending.add(key);
    void sleep(clock, LOOK_MS, signal).then(() => {
      pending.delete(key);
      queue.add(key);
    });
  };
  const queue: WorkQueue = runWorkQueue({
    name: 'leader-election-controller',
    // A later look at the lease is the retry.
    sync: async (key) => {
      const again = await takeStep(key, index, options).catch((error: unknown) => failed(error, key, options, signal));
      if (again) lookLater(key);
    },
    workers: 1,
    longestRetryMilliseconds: LOOK_MS,
    metrics,
    clock,
    logger,
    signal,
  });
  const subscriptions = [follow(candidates, index, queue), followLeases(leases, index, queue)];
  await whenAborted(signal);
  for (const unsubscribe of subscriptions) unsubscribe();
  await queue.idle();
}

function follow(candidates: Informer<LeaseCandidate>, index: CandidateIndex, queue: WorkQueue): () => void {
  const changed = (object: LeaseCandidate) => {
    const key = index.put(object);
    const { pingTime, renewTime } = object.spec;
    // The ping of an election that is under way is no news.
    if (!pingTime || !renewTime || renewTime >= pingTime) queue.add(key);
  };
  return candidates.subscribe({
    added: changed,
    updated: (object, old) => {
      // A new object may have taken the name of a deleted one.
      if (object.spec.leaseName !== old.spec.leaseName) queue.add(index.remove(old));
      changed(object);
    },
    deleted: (object) => queue.add(index.remove(object)),
  });
}

/** Leases without a candidate, such as those of nodes, are not looked at. */
function followLeases(leases: Informer<Lease>, index: CandidateIndex, queue: WorkQueue): () => void {
  const changed = ({ metadata }: Lease) => {
    const key = leaseKey(metadata.namespace, metadata.name);
    if (index.has(key)) queue.add(key);
  };
  return leases.subscribe({ added: changed, updated: changed, deleted: changed });
}

/** Returns whether to look again later. */
async function takeStep(key: string, index: CandidateIndex, options: ElectionOptions): Promise<boolean> {
  const { leases, candidateClient, leaseClient, clock, logger } = options;
  const slash = key.indexOf('/');
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const step: Step = await inSlices(nextStep(leases.get(namespace, name), index.of(key), clock.now()));
  switch (step.action) {
    case 'none':
      return false;
    case 'wait':
      return true;
    case 'fail':
      logger.warning('No leader can be elected', { lease: key, reason: step.reason });
      return step.again;
    case 'ping':
      for (const { object } of step.candidates) await ping(candidateClient, object, clock.now());
      return true;
    case 'elect':
      await writeElected(leaseClient, { namespace, name, ...step }, { now: clock.now(), logger });
      return true;
  }
}

async function ping(client: ElectionOptions['candidateClient'], object: LeaseCandidate, now: number): Promise<void> {
  const asked: LeaseCandidate = cloneJson(object);
  asked.spec.pingTime = formatMicroTime(now);
  await client.update(asked.metadata.namespace ?? '', asked);
}

function failed(error: unknown, key: string, { logger }: ElectionOptions, signal: AbortSignal): boolean {
  if (!signal.aborted) logger.error(error, 'A step of an election failed', { lease: key });
  return true;
}
