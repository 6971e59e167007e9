import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { type Clock, sleep, TimeSlice } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { isCandidateExpired } from './candidates.js';

/** Upstream: LeaseCandidateGCPeriod of pkg/controlplane/apiserver/server.go */
const PERIOD_MS = 30 * 60_000;

/** Dependencies of the collector. The owner of the informer disposes it. */
export interface CandidateCollectorOptions {
  readonly candidates: Informer<LeaseCandidate>;
  readonly candidateClient: Pick<ResourceClient<LeaseCandidate>, 'get' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Deletes expired LeaseCandidates, at first and every half an hour, until the signal aborts.
 * Upstream: pkg/controlplane/controller/leaderelection/leasecandidategc_controller.go
 */
export async function collectCandidates(options: CandidateCollectorOptions, signal: AbortSignal): Promise<void> {
  const { candidates, clock } = options;
  await candidates.synced(signal).catch(() => {});
  while (!signal.aborted) {
    const slice = new TimeSlice();
    for (const [i, candidate] of candidates.list().entries()) {
      if (signal.aborted) return;
      if (isCandidateExpired(candidate, clock.now())) await deleteExpired(candidate, options, signal);
      if (slice.overAt(i, 16, 0)) await slice.yield();
    }
    await sleep(clock, PERIOD_MS, signal);
  }
}

/** Asks the server whether the candidate is expired, because the informer may be behind. Never rejects. */
async function deleteExpired(
  { metadata: { namespace = '', name = '' } }: LeaseCandidate,
  { candidateClient, clock, logger }: CandidateCollectorOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const current = await candidateClient.get(namespace, name);
    if (isCandidateExpired(current, clock.now())) await candidateClient.delete(namespace, name);
  } catch (error) {
    if (signal.aborted || isNotFound(error)) return;
    logger.error(error, 'Deleting an expired lease candidate failed', { candidate: `${namespace}/${name}` });
  }
}
