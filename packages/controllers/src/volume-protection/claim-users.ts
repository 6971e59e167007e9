import type { PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { type Clock, hasElapsed } from '@apiserver/apimachinery/clock';
import { loadedObjects, type ResourceClient } from '@apiserver/apiserver-contracts';
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

/**
 * Reads from the server which claims are used. Claims that are deleted together share a list of the pods: it must be as
 * new as the deleted claim, because no pod is scheduled with a claim that is being deleted.
 * Upstream: LazyLivePodList of pkg/controller/volume/pvcprotection
 */
export class ClaimUsers {
  readonly #pods: ResourceClient<Pod>;
  readonly #clock: Clock;
  #last: UsedClaims | undefined;

  constructor(pods: ResourceClient<Pod>, clock: Clock) {
    this.#pods = pods;
    this.#clock = clock;
  }

  async isUsed(claim: PersistentVolumeClaim): Promise<boolean> {
    const { namespace = '', resourceVersion = '0' } = claim.metadata;
    const last = this.#last;
    const isNewEnough =
      last?.namespace === namespace &&
      last.version >= BigInt(resourceVersion) &&
      !hasElapsed(this.#clock, last.listed, MAX_AGE_MS);
    // A pod that used it then may be gone now.
    if (isNewEnough && !uses(last, claim)) return false;
    this.#last = await this.#read(namespace);
    return uses(this.#last, claim);
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

function uses(
  { users }: UsedClaims,
  { metadata: { name = '', ownerReferences = [] } }: PersistentVolumeClaim,
): boolean {
  const known = users.get(name);
  if (known === undefined) return false;
  const controller = ownerReferences.find((reference) => reference.controller === true);
  return known.isNamed || (controller !== undefined && known.owners.has(controller.uid));
}
