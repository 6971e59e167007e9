import {
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type KubeObject,
  type OwnerReference,
} from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import { forEachConcurrently } from '../for-each-concurrently.js';
import type { DependencyGraph, GraphNode } from './dependency-graph.js';
import type { LiveObjects } from './live-objects.js';
import { identityKey, type ObjectIdentity, referencedOwner } from './object-identity.js';
import { checkOwners } from './owner-check.js';

/** Dependencies of the collector. */
export interface CollectorOptions {
  readonly graph: DependencyGraph;
  readonly live: LiveObjects;
  readonly signal: AbortSignal;
  /** Queues an attempt to delete. */
  attemptToDelete(node: GraphNode): void;
  /** Reports that the owner with this UID is in another namespace. */
  invalidNamespace(dependent: GraphNode, uid: string): void;
}

/**
 * Does the work that the graph asks for. Each decision is made on objects as they are now.
 * Upstream: attemptToDeleteItem and attemptToOrphanWorker of pkg/controller/garbagecollector
 */
export class Collector {
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Finds out whether an object exists that is only known from references. */
  async lookUp(uid: string): Promise<void> {
    const { graph, live } = this.#options;
    const node = graph.get(uid);
    if (node === undefined || node.seen) return;
    const names = await this.#namesOf(node);
    for (const name of names) {
      const found = (await live.get(name)) ?? (await live.getElsewhere(name));
      // An event may have come meanwhile.
      if (graph.get(uid) !== node || node.seen) return;
      if (found !== undefined) return graph.put({ ...name, namespace: found.metadata.namespace ?? '' }, found.metadata);
    }
    if (names.length > 0) graph.delete(uid);
  }

  /** Deletes an object if none of its owners exists. */
  async attemptToDelete(uid: string): Promise<void> {
    const { graph, live } = this.#options;
    const node = graph.get(uid);
    if (node === undefined || (node.beingDeleted && !node.deletingDependents)) return;
    if (!node.seen) return this.lookUp(uid);
    const object = await live.get(node.identity);
    if (object === undefined) graph.delete(uid);
    else if (node.deletingDependents) await this.#continueDeletion(node);
    else await this.#collect(node, object);
  }

  /** Removes the references of all dependents, then the finalizer of the owner. */
  async attemptToOrphan(uid: string): Promise<void> {
    const { graph, live, signal } = this.#options;
    const node = graph.get(uid);
    if (node === undefined) return;
    const remove = async ({ identity }: GraphNode) => {
      try {
        await live.removeOwners(identity, [uid]);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };
    await forEachConcurrently(node.dependents, remove, { signal });
    await live.removeFinalizer(node.identity, FINALIZER_ORPHAN_DEPENDENTS);
  }

  /** Every way in which dependents name the object, and could have it as an owner. */
  async #namesOf(node: GraphNode): Promise<readonly ObjectIdentity[]> {
    const { live, invalidNamespace } = this.#options;
    const { uid } = node.identity;
    if (node.dependents.size === 0) return [node.identity];
    const names = new Map<string, ObjectIdentity>();
    const slice = new TimeSlice();
    for (const dependent of [...node.dependents]) {
      if (slice.over) await slice.yield();
      const reference = dependent.owners.find((owner) => owner.uid === uid);
      if (reference === undefined) continue;
      const { namespaced } = await live.resourceOf(reference);
      const name = referencedOwner(reference, namespaced ? dependent.identity.namespace : '');
      // An object of the cluster has no owner in a namespace, and nothing tells whether that owner exists.
      if (namespaced && name.namespace === '') invalidNamespace(dependent, uid);
      else names.set(identityKey(name), name);
    }
    return [...names.values()];
  }

  /** The object waits for its dependents. */
  async #continueDeletion({ identity, dependents }: GraphNode): Promise<void> {
    const blocking = [...dependents].filter(({ owners }) => owners.some((owner) => blocks(owner, identity.uid)));
    if (blocking.length === 0) {
      await this.#options.live.removeFinalizer(identity, FINALIZER_DELETE_DEPENDENTS);
      return;
    }
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#options.attemptToDelete(dependent);
  }

  async #collect(node: GraphNode, object: KubeObject): Promise<void> {
    const { ownerReferences = [] } = object.metadata;
    if (ownerReferences.length === 0) return;
    const owners = await checkOwners(node.identity, ownerReferences, this.#options.live);
    if (owners === undefined) return;
    const { solid, dangling, waiting } = owners;
    if (solid.length === 0) return this.#delete(node, object, waiting.length > 0 && node.dependents.size > 0);
    const others = [...dangling, ...waiting].map(({ uid }) => uid);
    // An owner that waits for this object would wait forever.
    if (others.length > 0) await this.#options.live.removeOwners(node.identity, others);
  }

  async #delete(node: GraphNode, object: KubeObject, isForeground: boolean): Promise<void> {
    const { graph, live } = this.#options;
    const { identity, owners, dependents } = node;
    // Owner and dependent may wait for each other.
    const mayBeCycle = isForeground && [...dependents].some(({ deletingDependents }) => deletingDependents);
    if (mayBeCycle) await live.unblockOwners(identity, owners);
    const read = mayBeCycle ? ((await live.get(identity)) ?? object) : object;
    const policy = isForeground ? 'Foreground' : policyOf(object);
    if (!(await live.delete(identity, read, policy))) graph.delete(identity.uid);
  }
}

function blocks({ uid, blockOwnerDeletion }: OwnerReference, owner: string): boolean {
  return uid === owner && blockOwnerDeletion === true;
}

/** A finalizer of an earlier deletion decides. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): string {
  if (finalizers.includes(FINALIZER_ORPHAN_DEPENDENTS)) return 'Orphan';
  return finalizers.includes(FINALIZER_DELETE_DEPENDENTS) ? 'Foreground' : 'Background';
}
