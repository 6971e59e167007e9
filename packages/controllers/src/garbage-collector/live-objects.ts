import type { DeleteOptions, KubeObject, OwnerReference } from '@apiserver/apimachinery';
import {
  isConflict,
  isNotFound,
  isUnsupportedMediaType,
  newInternalError,
  unlessNotFound,
} from '@apiserver/apimachinery/errors';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import { identityText, type ObjectIdentity } from './object-identity.js';

/** Attempts to remove a finalizer. Upstream: removeFinalizer of pkg/controller/garbagecollector/operations.go */
const ATTEMPTS = 5;

/** Finds the resource of a kind; rejects if the server does not serve it. */
export type ResourceOfKind = (apiVersion: string, kind: string) => Promise<DiscoveredResource>;

/** Reads and changes the objects that the graph names. */
export class LiveObjects {
  readonly #client: LoopbackClient;
  readonly #resourceOf: ResourceOfKind;

  constructor(client: LoopbackClient, resourceOf: ResourceOfKind) {
    this.#client = client;
    this.#resourceOf = resourceOf;
  }

  resourceOf(identity: Pick<ObjectIdentity, 'apiVersion' | 'kind'>): Promise<DiscoveredResource> {
    return this.#resourceOf(identity.apiVersion, identity.kind);
  }

  /** The object with this identity; undefined if there is none, or another one of the name. */
  async get(identity: ObjectIdentity): Promise<KubeObject | undefined> {
    const { objects, namespace } = await this.#at(identity);
    const object = await unlessNotFound(objects.get(namespace, identity.name));
    return object?.metadata.uid === identity.uid ? object : undefined;
  }

  /** The object with this kind, name and UID in any namespace. */
  async getElsewhere(identity: ObjectIdentity): Promise<KubeObject | undefined> {
    const resource = await this.resourceOf(identity);
    if (!resource.namespaced) return undefined;
    const fieldSelector = `metadata.name=${identity.name}`;
    const { items } = await this.#client.resource(resource).list('', { fieldSelector });
    return items.find(({ object }) => object.metadata.uid === identity.uid)?.object;
  }

  /**
   * Deletes an object whose owners are still those that were read. False if it does not exist.
   * Upstream: deleteObject of pkg/controller/garbagecollector/operations.go
   */
  async delete(identity: ObjectIdentity, read: KubeObject, propagationPolicy: string): Promise<boolean> {
    const { objects, namespace } = await this.#at(identity);
    const { uid } = identity;
    const { resourceVersion = '' } = read.metadata;
    const remove = (preconditions: DeleteOptions['preconditions'] & object) =>
      objects.delete(namespace, identity.name, { preconditions, propagationPolicy });
    try {
      await remove({ uid, resourceVersion });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) throw error;
      const live = await this.get(identity);
      if (live === undefined) return false;
      // Another field has changed: the decision holds.
      if (!sameOwners(live.metadata.ownerReferences, read.metadata.ownerReferences)) throw error;
      await remove({ uid });
      return true;
    }
  }

  /** Removes the references to these owners. */
  async removeOwners(identity: ObjectIdentity, uids: readonly string[]): Promise<void> {
    const removed = new Set(uids);
    await this.#patchOwners(
      identity,
      uids.map((uid) => ({ $patch: 'delete', uid })),
      (owners) => owners.filter(({ uid }) => !removed.has(uid)),
    );
  }

  /** Lets the deletion of the owners no longer wait for this object. */
  async unblockOwners(identity: ObjectIdentity, owners: readonly OwnerReference[]): Promise<void> {
    const unblocked = (references: readonly OwnerReference[]) =>
      references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    await this.#patchOwners(identity, unblocked(blocking), unblocked);
  }

  async removeFinalizer(identity: ObjectIdentity, finalizer: string): Promise<void> {
    const { objects, namespace } = await this.#at(identity);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const live = await this.get(identity);
      const finalizers = live?.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) return;
      const { resourceVersion } = live?.metadata ?? {};
      const metadata = { resourceVersion, finalizers: finalizers.filter((name) => name !== finalizer) };
      try {
        await objects.patch(namespace, identity.name, { type: 'merge', body: { metadata } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
    const reason = `updateMaxRetries(${ATTEMPTS}) has reached. The garbage collector will retry later for owner`;
    throw newInternalError(new Error(`${reason} ${identityText(identity)}`));
  }

  /** Custom kinds take no strategic merge patch: for them the whole list is written, bound to its version. */
  async #patchOwners(
    identity: ObjectIdentity,
    ownerReferences: readonly object[],
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const { objects, namespace } = await this.#at(identity);
    const body = { metadata: { ownerReferences, uid: identity.uid } };
    try {
      await objects.patch(namespace, identity.name, { type: 'strategic-merge', body });
    } catch (error) {
      if (!isUnsupportedMediaType(error)) throw error;
      const live = await this.get(identity);
      if (live === undefined) return;
      const { resourceVersion, ownerReferences: owners = [] } = live.metadata;
      const merged = { metadata: { resourceVersion, ownerReferences: change(owners) } };
      await objects.patch(namespace, identity.name, { type: 'merge', body: merged });
    }
  }

  async #at(
    identity: ObjectIdentity,
  ): Promise<{ readonly objects: ResourceClient<KubeObject>; readonly namespace: string }> {
    const resource = await this.resourceOf(identity);
    return { objects: this.#client.resource(resource), namespace: resource.namespaced ? identity.namespace : '' };
  }
}

function sameOwners(a: readonly OwnerReference[] = [], b: readonly OwnerReference[] = []): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
