import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { LeaderLease } from './leader-lease.js';

/** Intervals in milliseconds. Upstream: LeaderElectionTimers of pkg/controlplane/controller/leaderelection */
export interface LeaderElectionTimers {
  readonly leaseDuration: number;
  /** A leader that cannot renew its lease for so long stops to lead. */
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** Maximum random addition to the pause between two tries to take a lease. Upstream: JitterFactor */
const JITTER = 1.2;

/** Dependencies of a leader. */
export interface LeadingOptions {
  readonly lease: LeaderLease;
  readonly timers: LeaderElectionTimers;
  /** Resolves when the signal has aborted and nothing is under way. */
  lead(signal: AbortSignal): Promise<void>;
  /** Called when this process becomes the leader, and when it is no longer. Default: nobody is told. */
  onChange?(isLeader: boolean): void;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/**
 * Leads whenever this process holds the lease, until the signal aborts; then releases the lease. It also releases it when
 * the work of the leader fails, because nobody else could do it.
 * Upstream: RunWithLeaderElection of pkg/controlplane/controller/leaderelection, k8s.io/client-go/tools/leaderelection
 */
export async function runWhileLeading(options: LeadingOptions, signal: AbortSignal): Promise<void> {
  const { lease, timers, clock, logger } = options;
  while (await acquired(options, signal)) {
    logger.info('Acquired the lease of the leader');
    options.onChange?.(true);
    const term = new AbortController();
    const failed = new AbortController();
    const leading = options.lead(AbortSignal.any([signal, term.signal])).catch((error: unknown) => {
      if (!signal.aborted) logger.error(error, 'The work of the leader ended');
      failed.abort();
    });
    const over = AbortSignal.any([signal, failed.signal]);
    while (await renewed(options, over)) await sleep(clock, timers.retryPeriod, over);
    if (!over.aborted) logger.warning('Failed to renew the lease of the leader');
    options.onChange?.(false);
    term.abort();
    await leading;
    await atMost(options, timers.renewDeadline, lease.release());
    await sleep(clock, timers.retryPeriod, signal);
  }
}

/** Tries until the lease is held; false if the signal aborts before. */
async function acquired(options: LeadingOptions, signal: AbortSignal): Promise<boolean> {
  const { lease, timers, clock, random } = options;
  while (!signal.aborted) {
    if (await lease.acquireOrRenew()) return true;
    await sleep(clock, timers.retryPeriod + random(Math.trunc(timers.retryPeriod * JITTER) + 1), signal);
  }
  return false;
}

/** Tries until the deadline. */
async function renewed(options: LeadingOptions, signal: AbortSignal): Promise<boolean> {
  const { lease, timers, clock } = options;
  const deadline = new AbortController();
  const limit = AbortSignal.any([signal, deadline.signal]);
  const tries = async (): Promise<boolean> => {
    while (!limit.aborted) {
      if (await lease.acquireOrRenew()) return true;
      await sleep(clock, timers.retryPeriod, limit);
    }
    return false;
  };
  const isRenewed = await atMost(options, timers.renewDeadline, tries());
  deadline.abort();
  return isRenewed === true;
}

/** Undefined if the time is over before. */
async function atMost<T>({ clock }: LeadingOptions, milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, sleep(clock, milliseconds, done.signal).then(() => undefined)]);
  } finally {
    done.abort();
  }
}
