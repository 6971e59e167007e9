import { FINALIZER_DELETE_DEPENDENTS, type KubeObject, type OwnerReference } from '@apiserver/apimachinery';
import type { AbsentOwners } from './absent-owners.js';
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
 * Checks the owners of an object against the server. Undefined if a cluster-scoped object refers to a namespaced owner,
 * which cannot be resolved. Throws if a kind is unknown.
 */
export async function checkOwners(
  dependent: ObjectIdentity,
  owners: readonly OwnerReference[],
  context: { readonly live: LiveObjects; readonly absent: AbsentOwners },
): Promise<CheckedOwners | undefined> {
  const checked: Record<OwnerState, OwnerReference[]> = { solid: [], dangling: [], waiting: [] };
  for (const reference of owners) {
    const state = await stateOf(dependent, reference, context);
    if (state === undefined) return undefined;
    checked[state].push(reference);
  }
  return checked;
}

async function stateOf(
  { namespace }: ObjectIdentity,
  reference: OwnerReference,
  { live, absent }: { readonly live: LiveObjects; readonly absent: AbsentOwners },
): Promise<OwnerState | undefined> {
  if (absent.has(referencedOwner(reference, '')) || absent.has(referencedOwner(reference, namespace)))
    return 'dangling';
  const { namespaced } = await live.resourceOf(reference);
  if (namespaced && namespace === '') return undefined;
  const identity = referencedOwner(reference, namespaced ? namespace : '');
  const owner = await live.get(identity);
  if (owner !== undefined) return isWaiting(owner) ? 'waiting' : 'solid';
  absent.add(identity);
  return 'dangling';
}

function isWaiting({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(FINALIZER_DELETE_DEPENDENTS);
}
