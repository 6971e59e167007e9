import { FINALIZER_DELETE_DEPENDENTS, type KubeObject, type OwnerReference } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { LiveObjects } from './live-objects.js';
import { type ObjectIdentity, referencedOwner } from './object-identity.js';

/** The references of an object, by the state of the owners. Upstream: classifyReferences */
export interface CheckedOwners {
  /** The owner exists. */
  readonly solid: readonly OwnerReference[];
  /** There is no such owner. */
  readonly dangling: readonly OwnerReference[];
  /** The owner waits for its dependents to be deleted. */
  readonly waiting: readonly OwnerReference[];
}

type OwnerState = keyof CheckedOwners;

/**
 * Checks the owners of an object against the server. Absent owners are not remembered as upstream does: a look-up in
 * this process is cheap, and the restore of a snapshot brings them back.
 * Undefined if a cluster-scoped object refers to a namespaced owner, which cannot be resolved. Throws if a kind is
 * unknown.
 */
export async function checkOwners(
  dependent: ObjectIdentity,
  owners: readonly OwnerReference[],
  live: LiveObjects,
): Promise<CheckedOwners | undefined> {
  const checked: Record<OwnerState, OwnerReference[]> = { solid: [], dangling: [], waiting: [] };
  const slice = new TimeSlice();
  for (const reference of owners) {
    if (slice.over) await slice.yield();
    const state = await stateOf(dependent, reference, live);
    if (state === undefined) return undefined;
    checked[state].push(reference);
  }
  return checked;
}

async function stateOf(
  { namespace }: ObjectIdentity,
  reference: OwnerReference,
  live: LiveObjects,
): Promise<OwnerState | undefined> {
  const { namespaced } = await live.resourceOf(reference);
  if (namespaced && namespace === '') return undefined;
  const identity = referencedOwner(reference, namespaced ? namespace : '');
  const owner = await live.get(identity);
  if (owner === undefined) return 'dangling';
  return isWaiting(owner) ? 'waiting' : 'solid';
}

function isWaiting({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(FINALIZER_DELETE_DEPENDENTS);
}
