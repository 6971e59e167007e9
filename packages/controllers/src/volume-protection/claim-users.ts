import type { PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import { type Informer, loadedObjects, type ResourceClient } from '@apiserver/apiserver-contracts';
import { isShutDown } from './pod-state.js';

/** The longest use of a list. */
const MAX_AGE_MS = 1_000;

/** The UIDs of the pods for whose volumes the claim may have been made, and whether a pod names it. */
interface Users {
  isNamed: boolean;
  readonly owners: Set<string>;
}

/** The claims that the scheduled pods of a namespace use, at one version. */
interface UsedClaims {
  readonly namespace: string;
  readonly version: bigint;
  /** The time of the list, by the clock. */
  readonly listed: number;
  readonly users: ReadonlyMap<string, Users>;
}

/** Dependencies of `ClaimUsers`. */
export interface ClaimUsersOptions {
  readonly pods: ResourceClient<Pod>;
  /** Its events lead to another check when a pod uses a claim no longer. */
  readonly knownPods: Pick<Informer<Pod>, 'list'>;
  readonly clock: Clock;
}

/**
 * Tells which claims are used. A pod that the informer knows suffices for yes; no needs a list from the server. Claims
 * that are deleted together share a list of the pods: it must be as new as the deleted claim, because no pod is scheduled
 * with a claim that is being deleted.
 * Upstream: isBeingUsed and LazyLivePodList of pkg/controller/volume/pvcprotection
 */
export class ClaimUsers {
  readonly #pods: ResourceClient<Pod>;
  readonly #knownPods: Pick<Informer<Pod>, 'list'>;
  readonly #clock: Clock;
  #last: UsedClaims | undefined;

  constructor({ pods, knownPods, clock }: ClaimUsersOptions) {
    this.#pods = pods;
    this.#knownPods = knownPods;
    this.#clock = durationClock(clock);
  }

  async isUsed(claim: PersistentVolumeClaim): Promise<boolean> {
    const { namespace = '', resourceVersion = '0' } = claim.metadata;
    if (this.#knownPods.list(namespace).some((pod) => uses(usersOf(pod), claim))) return true;
    const last = this.#last;
    const isNewEnough =
      last?.namespace === namespace &&
      last.version >= BigInt(resourceVersion) &&
      !hasElapsed(this.#clock, last.listed, MAX_AGE_MS);
    // A pod that used it then may be gone now.
    if (isNewEnough && !uses(last.users, claim)) return false;
    this.#last = await this.#read(namespace);
    return uses(this.#last.users, claim);
  }

  async #read(namespace: string): Promise<UsedClaims> {
    const listed = this.#clock.now();
    const { items, resourceVersion } = await this.#pods.list(namespace);
    const users = new Map<string, Users>();
    for await (const pod of loadedObjects(items)) addUses(users, pod);
    return { namespace, version: BigInt(resourceVersion), listed, users };
  }
}

/** A pod without a node does not count: no kubelet starts it with a deleted claim. Upstream: podUsesPVC */
function addUses(users: Map<string, Users>, pod: Pod): void {
  const { metadata, spec } = pod;
  if ((spec.nodeName ?? '') === '') return;
  const of = (claim: string): Users => {
    const known = users.get(claim) ?? { isNamed: false, owners: new Set() };
    users.set(claim, known);
    return known;
  };
  for (const { persistentVolumeClaim, ephemeral, name } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) of(persistentVolumeClaim.claimName).isNamed = true;
    if (ephemeral !== undefined && !isShutDown(pod)) of(`${metadata.name}-${name}`).owners.add(metadata.uid ?? '');
  }
}

function usersOf(pod: Pod): ReadonlyMap<string, Users> {
  const users = new Map<string, Users>();
  addUses(users, pod);
  return users;
}

function uses(users: ReadonlyMap<string, Users>, { metadata }: PersistentVolumeClaim): boolean {
  const { name = '', ownerReferences = [] } = metadata;
  const known = users.get(name);
  if (known === undefined) return false;
  const controller = ownerReferences.find((reference) => reference.controller === true);
  return known.isNamed || (controller !== undefined && known.owners.has(controller.uid));
}
