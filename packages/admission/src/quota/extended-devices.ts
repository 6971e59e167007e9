import type { Pod } from '@apiserver/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import type { Informer } from '@apiserver/apiserver-contracts';

/** Implicit extended resources of device classes. */
export const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';
/** The scheduler marks its claims for the extended resources of a pod. Upstream: ExtendedResourceClaimAnnotation */
const MARK = 'resource.kubernetes.io/extended-resource-claim';

/** The objects behind devices that are extended resources. */
export interface DeviceViews {
  readonly classes: Pick<Informer<DeviceClass>, 'get' | 'list' | 'subscribe'>;
  readonly claims: Pick<Informer<ResourceClaim>, 'list' | 'subscribe'>;
  readonly pods: Pick<Informer<Pod>, 'get'>;
}

/**
 * Relates claims for devices to extended resources.
 * Upstream: k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache, and claimEvaluator
 */
export class ExtendedDevices {
  readonly #views: DeviceViews;
  readonly #usageOf: (pod: Pod) => Amounts;
  readonly #explicitResources: () => ReadonlySet<string>;
  readonly #firstClaims: (namespace: string) => ReadonlyMap<string, ResourceClaim>;

  constructor(views: DeviceViews, usageOf: (pod: Pod) => Amounts) {
    this.#views = views;
    this.#usageOf = usageOf;
    this.#explicitResources = derivedFrom(views.classes, extendedResources);
    this.#firstClaims = derivedFrom(views.claims, firstOfPods);
  }

  /** Reports whether devices of a class are the extended resource. */
  isOfClass(resource: string): boolean {
    const { classes } = this.#views;
    if (resource.startsWith(DEVICE_CLASS)) return classes.get('', resource.slice(DEVICE_CLASS.length)) !== undefined;
    return this.#explicitResources().has(resource);
  }

  /** The extended resources that devices of a class are. */
  resourcesOf(deviceClass: string): readonly string[] {
    const { extendedResourceName } = this.#views.classes.get('', deviceClass)?.spec ?? {};
    return [`${DEVICE_CLASS}${deviceClass}`, ...(extendedResourceName ? [extendedResourceName] : [])];
  }

  /** The usage of the pod for which the scheduler has made the claim; empty for other claims. Upstream: getVerifiedPodUsage */
  podUsage(claim: ResourceClaim): Amounts {
    const { namespace = '' } = claim.metadata;
    const owner = isMarked(claim) ? controllingPod(claim) : undefined;
    if (owner === undefined) return new Map();
    const pod = this.#views.pods.get(namespace, owner.name);
    if (pod === undefined || pod.metadata.uid !== owner.uid) return new Map();
    const named = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
    const isCharged = named === undefined ? this.#isFirst(claim, owner.uid) : named === claim.metadata.name;
    return isCharged ? this.#usageOf(pod) : new Map();
  }

  /** Of several claims for one pod, only the first one is charged with it. */
  #isFirst(claim: ResourceClaim, uid: string): boolean {
    const first = this.#firstClaims(claim.metadata.namespace ?? '').get(uid);
    return first === undefined || !isBefore(first, claim);
  }
}

/**
 * Returns what `derive` makes of the objects in a namespace, "" for objects without one. It is made again after a change
 * only: a count of many objects asks for each of them.
 */
function derivedFrom<T extends KubeObject, R>(
  view: Pick<Informer<T>, 'list' | 'subscribe'>,
  derive: (objects: readonly T[]) => R,
): (namespace?: string) => R {
  let known: Map<string, R> | undefined;
  const follow = () => {
    const results = new Map<string, R>();
    const forget = ({ metadata }: T) => void results.delete(metadata.namespace ?? '');
    view.subscribe({ added: forget, updated: forget, deleted: forget });
    return results;
  };
  return (namespace = '') => {
    known ??= follow();
    const result = known.get(namespace);
    if (result !== undefined) return result;
    const objects = view.list(namespace);
    const derived = derive(objects);
    // Nothing would remove that of a namespace that is gone.
    if (objects.length > 0) known.set(namespace, derived);
    return derived;
  };
}

function extendedResources(classes: readonly DeviceClass[]): ReadonlySet<string> {
  return new Set(classes.flatMap(({ spec }) => spec.extendedResourceName ?? []));
}

/** By the UID of the pod. */
function firstOfPods(claims: readonly ResourceClaim[]): ReadonlyMap<string, ResourceClaim> {
  const firsts = new Map<string, ResourceClaim>();
  for (const claim of claims.filter(isMarked)) {
    const { uid } = controllingPod(claim) ?? {};
    const first = uid === undefined ? undefined : firsts.get(uid);
    if (uid !== undefined && (first === undefined || isBefore(claim, first))) firsts.set(uid, claim);
  }
  return firsts;
}

function isMarked({ metadata }: ResourceClaim): boolean {
  return metadata.annotations?.[MARK] === 'true';
}

function controllingPod({ metadata }: ResourceClaim) {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? owner : undefined;
}

function isBefore(a: ResourceClaim, b: ResourceClaim): boolean {
  const [first = '', second = ''] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return first === second ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : first < second;
}
