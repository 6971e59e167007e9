import { FINALIZER_DELETE_DEPENDENTS, FINALIZER_ORPHAN_DEPENDENTS, type OwnerReference } from '@apiserver/apimachinery';
import { namesObject, type ObjectIdentity, type OwnedMetadata, referencedOwner } from './object-identity.js';

/** An object that owns others, or is owned. */
export interface GraphNode {
  /** Of a node that nobody has seen: as its first dependent names it. */
  identity: ObjectIdentity;
  /** False while it is only known from references of its dependents. */
  seen: boolean;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  beingDeleted: boolean;
  /** It waits for its blocking dependents to be deleted: the finalizer foregroundDeletion. */
  deletingDependents: boolean;
  /** It waits for its dependents to be orphaned: the finalizer orphan. */
  orphaning: boolean;
}

/** Receives the work that changes of the graph cause. */
export interface GraphListener {
  attemptToDelete(node: GraphNode): void;
  attemptToOrphan(node: GraphNode): void;
  /** It is unknown whether the object exists. */
  lookUp(node: GraphNode): void;
  /** The owner with this UID is in another namespace. */
  invalidNamespace(dependent: GraphNode, uid: string): void;
}

/**
 * The owners and dependents among all objects, by UID. Objects without either are not kept: an owner that appears in a
 * reference first is looked up by the collector.
 * Upstream: GraphBuilder of pkg/controller/garbagecollector, which keeps all objects
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  /** The number of nodes by kind, without the version. */
  readonly #kinds = new Map<string, number>();
  readonly #listener: GraphListener;

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  /** False if changes of a kind's objects without owners cannot matter. */
  hasKind(apiVersion: string, kind: string): boolean {
    return this.#kinds.has(kindKey(apiVersion, kind));
  }

  /** An object exists with this metadata. */
  put(identity: ObjectIdentity, metadata: OwnedMetadata): void {
    const { ownerReferences = [], deletionTimestamp, finalizers = [] } = metadata;
    const isDeleted = deletionTimestamp !== undefined;
    const orphaning = isDeleted && finalizers.includes(FINALIZER_ORPHAN_DEPENDENTS);
    const deletingDependents = isDeleted && finalizers.includes(FINALIZER_DELETE_DEPENDENTS);
    const known = this.#nodes.get(identity.uid);
    if (known === undefined && ownerReferences.length === 0 && !orphaning && !deletingDependents) return;
    const node = known ?? this.#add(identity);
    this.#see(node, identity);
    this.#setOwners(node, ownerReferences);
    node.beingDeleted ||= isDeleted;
    if (orphaning && !node.orphaning) this.#listener.attemptToOrphan(node);
    else if (deletingDependents && !node.deletingDependents) this.#deleteDependents(node);
    node.orphaning = orphaning;
    this.#dropUnused(node);
  }

  /** An object with this UID no longer exists. */
  delete(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#remove(node);
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      owner?.dependents.delete(node);
      if (owner?.deletingDependents) this.#listener.attemptToDelete(owner);
      else if (owner !== undefined) this.#dropUnused(owner);
    }
    for (const dependent of node.dependents) this.#listener.attemptToDelete(dependent);
  }

  /** An object may no longer exist: the collector looks it up. */
  doubt(node: GraphNode): void {
    node.seen = false;
    this.#listener.lookUp(node);
  }

  #add(identity: ObjectIdentity): GraphNode {
    const dependents = new Set<GraphNode>();
    const flags = { seen: false, beingDeleted: false, deletingDependents: false, orphaning: false };
    const node: GraphNode = { identity, owners: [], dependents, ...flags };
    this.#nodes.set(identity.uid, node);
    this.#count(identity, 1);
    return node;
  }

  #remove(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid);
    this.#count(node.identity, -1);
  }

  #count({ apiVersion, kind }: ObjectIdentity, change: number): void {
    const key = kindKey(apiVersion, kind);
    const count = (this.#kinds.get(key) ?? 0) + change;
    if (count === 0) this.#kinds.delete(key);
    else this.#kinds.set(key, count);
  }

  /** References that named it differently are checked. */
  #see(node: GraphNode, identity: ObjectIdentity): void {
    if (node.seen) return;
    node.seen = true;
    this.#count(node.identity, -1);
    node.identity = identity;
    this.#count(identity, 1);
    for (const dependent of node.dependents) this.#checkReference(dependent, node);
  }

  /** A dependent in another namespace, or with other coordinates, may have no such owner. */
  #checkReference(dependent: GraphNode, { identity }: GraphNode): void {
    const { namespace, uid } = identity;
    const isElsewhere = namespace !== '' && namespace !== dependent.identity.namespace;
    if (isElsewhere) this.#listener.invalidNamespace(dependent, uid);
    const reference = dependent.owners.find((owner) => owner.uid === uid);
    const isNamed = reference !== undefined && namesObject(reference, identity);
    if (isElsewhere || !isNamed) this.#listener.attemptToDelete(dependent);
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    if (before === owners) return;
    node.owners = owners;
    const after = new Map(owners.map((owner) => [owner.uid, owner]));
    const known = new Set(before.map(({ uid }) => uid));
    for (const reference of before) this.#loosen(node, reference, after.get(reference.uid));
    for (const [uid, reference] of after) if (!known.has(uid)) this.#attach(node, reference);
  }

  #attach(node: GraphNode, reference: OwnerReference): void {
    const known = this.#nodes.get(reference.uid);
    const owner = known ?? this.#add(referencedOwner(reference, node.identity.namespace));
    owner.dependents.add(node);
    if (owner.seen) this.#checkReference(node, owner);
    // The look-up of an unseen owner reads every reference that names it.
    else this.#listener.lookUp(owner);
  }

  /** A reference is gone, or has changed. An owner that it blocked may go now. */
  #loosen(node: GraphNode, before: OwnerReference, after: OwnerReference | undefined): void {
    const owner = this.#nodes.get(before.uid);
    if (owner === undefined) return;
    if (after === undefined) owner.dependents.delete(node);
    if (before.blockOwnerDeletion === true && after?.blockOwnerDeletion !== true) this.#listener.attemptToDelete(owner);
    if (after === undefined) this.#dropUnused(owner);
  }

  #deleteDependents(node: GraphNode): void {
    node.deletingDependents = true;
    for (const dependent of node.dependents) this.#listener.attemptToDelete(dependent);
    this.#listener.attemptToDelete(node);
  }

  /** Drops a node that neither owns, nor is owned, nor waits for anything. */
  #dropUnused(node: GraphNode): void {
    const isUsed = node.owners.length > 0 || node.dependents.size > 0 || node.deletingDependents || node.orphaning;
    if (!isUsed) this.#remove(node);
  }
}

function kindKey(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/');
  return `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`;
}
