import type { Pod } from '@apiserver/api/core/v1';
import {
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type GroupResource,
  type KubeObject,
  type ObjectMeta,
} from '@apiserver/apimachinery';
import { isMethodNotSupported, isNotFound } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import {
  type LoopbackClient,
  loadedObjects,
  type ResourceClient,
  type StoredList,
} from '@apiserver/apiserver-contracts';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import { forEachConcurrently } from '../for-each-concurrently.js';

/** The estimate for objects with finalizers, in seconds. Upstream: finalizerEstimateSeconds */
const FINALIZER_ESTIMATE = 15;

/** The namespace whose content is deleted. */
export interface DeletedNamespace {
  readonly name: string;
  /** Milliseconds since the deletion began. */
  readonly age: number;
  /** Ends the deletion early. */
  readonly signal: AbortSignal;
  readonly random: RandomInt;
}

/** The objects of a resource that remain in a namespace. */
export interface Remainder {
  readonly resource: DiscoveredResource;
  readonly count: number;
  /** Objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Seconds after which the rest may be gone; 0: unknown. */
  readonly estimate: number;
  /** The version of the list. */
  readonly resourceVersion: string;
  /** Set if nothing explains why objects remain. */
  readonly error?: string;
}

/**
 * Deletes the objects of a resource in a namespace, and returns what remains. A list comes first: most resources have
 * no objects there. Throws the StatusError of a failed request.
 * Upstream: deleteAllContentForGroupVersionResource of pkg/controller/namespace/deletion
 */
export async function deleteResourceContent(
  client: LoopbackClient,
  resource: DiscoveredResource,
  namespace: DeletedNamespace,
): Promise<Remainder | undefined> {
  const objects = client.resource(resource);
  const before = await listed(resource, objects, namespace.name);
  if (before?.items.length === 0) return undefined;
  const estimate = before === undefined ? 0 : await estimateOf(resource, before, namespace.age);
  await deleteAll(resource, objects, { namespace, before });
  const after = await listed(resource, objects, namespace.name);
  if (after === undefined || after.items.length === 0) return undefined;
  const finalizers = await countFinalizers(after);
  const remainder = { resource, count: after.items.length, finalizers, resourceVersion: after.resourceVersion };
  if (estimate > 0) return { ...remainder, estimate };
  if (finalizers.size > 0) return { ...remainder, estimate: FINALIZER_ESTIMATE };
  const name = `${resource.group}/${resource.version}, Resource=${resource.resource}`;
  return {
    ...remainder,
    estimate,
    error: `unexpected items still remain in namespace: ${namespace.name} for gvr: ${name}`,
  };
}

/** Undefined if the resource cannot be listed, or is gone. */
async function listed(
  { verbs }: DiscoveredResource,
  objects: ResourceClient<KubeObject>,
  namespace: string,
): Promise<StoredList<KubeObject> | undefined> {
  if (!verbs.has('list')) return undefined;
  try {
    return await objects.list(namespace);
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return undefined;
    throw error;
  }
}

/** Failed deletions, beyond those that succeed, after which an attempt gives up. */
const MAX_EXCESS_FAILURES = 100;

/** The deletion of a namespace's content removes them. */
const COLLECTOR_FINALIZERS: ReadonlySet<string> = new Set([FINALIZER_DELETE_DEPENDENTS, FINALIZER_ORPHAN_DEPENDENTS]);

/** No finalizer of the garbage collector is added, because the whole namespace goes. */
const BACKGROUND = { propagationPolicy: 'Background' };

/** A resource that cannot be listed is deleted as a collection. */
async function deleteAll(
  resource: DiscoveredResource,
  objects: ResourceClient<KubeObject>,
  { namespace, before }: { readonly namespace: DeletedNamespace; readonly before: StoredList<KubeObject> | undefined },
): Promise<void> {
  const { name: within, signal, random } = namespace;
  const ignoreMissing = (error: unknown) => {
    if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
  };
  if (before === undefined) {
    if (resource.verbs.has('deletecollection')) await objects.deleteCollection(within, BACKGROUND).catch(ignoreMissing);
    return;
  }
  const names: string[] = [];
  for await (const { metadata } of loadedObjects(before.items)) {
    if (isPods(resource) || !isUnaffected(metadata)) names.push(metadata.name ?? '');
  }
  // They share commits of the store, which those of a collection do not.
  const remove = (name: string) => objects.delete(within, name, BACKGROUND).catch(ignoreMissing);
  // Each attempt begins elsewhere: the first objects may be those that cannot be deleted.
  const first = names.length === 0 ? 0 : random(names.length);
  const ordered = [...names.slice(first), ...names.slice(0, first)];
  await forEachConcurrently(ordered, remove, { signal, maxExcessFailures: MAX_EXCESS_FAILURES });
}

/** True for an object that waits for the finalizers of others: one more deletion would change nothing. */
function isUnaffected({ deletionTimestamp, finalizers = [] }: ObjectMeta): boolean {
  const waits = deletionTimestamp !== undefined && finalizers.length > 0;
  return waits && !finalizers.some((finalizer) => COLLECTOR_FINALIZERS.has(finalizer));
}

async function countFinalizers({ items }: StoredList<KubeObject>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { metadata } of loadedObjects(items)) {
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  return counts;
}

/** The longest grace period of running pods, in seconds; 0 once it has passed. Upstream: estimateGracefulTermination */
async function estimateOf(
  resource: DiscoveredResource,
  { items }: StoredList<KubeObject>,
  age: number,
): Promise<number> {
  if (!isPods(resource)) return 0;
  let longest = 0;
  for await (const pod of loadedObjects(items)) longest = Math.max(longest, gracePeriodOf(Object(pod)));
  return age >= longest * 1000 ? 0 : longest;
}

function gracePeriodOf({ spec, status }: Pod): number {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return 0;
  return Number(spec.terminationGracePeriodSeconds ?? 0);
}

/** Reports whether a resource is the pods. */
export function isPods({ group, resource }: GroupResource): boolean {
  return group === '' && resource === 'pods';
}
