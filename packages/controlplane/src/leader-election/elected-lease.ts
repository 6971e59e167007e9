import type { Lease } from '@apiserver/api/coordination/v1';
import { isAlreadyExists } from '@apiserver/apimachinery/errors';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import type { Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { isLeaseExpired } from './election.js';

/** The time in which an elected holder must begin to renew its lease. */
const LEASE_SECONDS = 5;

/** The result of an election. */
export interface Elected {
  readonly namespace: string;
  readonly name: string;
  readonly strategy: string;
  /** Undefined if another controller names the holder. */
  readonly electee: string | undefined;
}

/**
 * Writes the result into the lease. A living holder keeps its lease, and learns from `preferredHolder` that it has to
 * let the lease expire.
 * Upstream: the end of reconcileElectionStep
 */
export async function writeElected(
  client: Pick<ResourceClient<Lease>, 'get' | 'create' | 'update'>,
  elected: Elected,
  { now, logger }: { readonly now: number; readonly logger: Logger },
): Promise<void> {
  const { namespace, name, electee } = elected;
  const fields = { lease: `${namespace}/${name}`, holder: electee };
  try {
    await client.create(namespace, newLease(elected, now));
    logger.info('Created the lease of an election', fields);
    return;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const present = await client.get(namespace, name);
  const changed = changedLease(present, elected, now);
  if (equalJson(changed.spec, present.spec)) return;
  await client.update(namespace, changed);
  logger.info('Changed the lease of an election', fields);
}

function newLease({ namespace, name, strategy, electee }: Elected, now: number): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name },
    spec: {
      ...(electee !== undefined && { holderIdentity: electee }),
      strategy,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: formatMicroTime(now),
    },
  };
}

function changedLease(present: Lease, { strategy, electee }: Elected, now: number): Lease {
  const lease: Lease = cloneJson(present);
  const holder = present.spec.holderIdentity ?? '';
  lease.spec.strategy = strategy;
  if (electee === undefined || electee === holder) return lease;
  if (holder !== '' && !isLeaseExpired(present, now)) {
    lease.spec.preferredHolder = electee;
    return lease;
  }
  const { preferredHolder: _preferred, acquireTime: _acquired, ...kept } = lease.spec;
  const renewTime = formatMicroTime(now);
  lease.spec = { ...kept, holderIdentity: electee, renewTime, leaseDurationSeconds: LEASE_SECONDS };
  return lease;
}
