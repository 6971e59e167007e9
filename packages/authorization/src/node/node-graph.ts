import type { PersistentVolume, Pod } from '@apiserver/api/core/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { podReferences, type ReferredKind, referencesStamp } from './pod-references.js';
import { type BoundVolume, ReferredObject } from './referred-object.js';
import { volumeSecrets } from './volume-secrets.js';

/** The kinds of objects that belong to a node, as logs name them. */
export type GraphKind = ReferredKind | NamingKind | 'pod' | 'pv';

/** The kinds of objects that name their node. */
export type NamingKind = 'podcertificaterequest' | 'resourceslice' | 'volumeattachment';

/** The part of an object's metadata that tells it from others of its kind. */
type Named = Pick<ObjectMeta, 'namespace' | 'name'>;

interface KnownPod {
  readonly node: string;
  readonly stamp: string;
  readonly references: readonly ReferredObject[];
}

/**
 * Relates objects to nodes. Pods relate the objects that they refer to; claims relate their volumes, and volumes their
 * secrets. Attachments, slices and requests for certificates name their node. Each object counts its references by
 * node. So a question takes one look-up, and a change costs as much as the changed object has references.
 * Upstream: plugin/pkg/auth/authorizer/node/graph.go, which keeps a graph and walks from the object to the node
 */
export class NodeGraph {
  readonly #pods = new Map<string, KnownPod>();
  readonly #referred: Readonly<Record<ReferredKind, Map<string, ReferredObject>>> = {
    configmap: new Map(),
    pvc: new Map(),
    resourceclaim: new Map(),
    secret: new Map(),
    serviceAccount: new Map(),
  };
  readonly #volumes = new Map<string, BoundVolume>();
  readonly #nodeOf: Readonly<Record<NamingKind, Map<string, string>>> = {
    podcertificaterequest: new Map(),
    resourceslice: new Map(),
    volumeattachment: new Map(),
  };
  /** The number of pods of each node, and of objects that name it. */
  readonly #nodes = new Map<string, number>();

  /**
   * Adds a pod, or changes it. Returns false if nothing has changed. A pod without a node is a new one: the graph
   * forgets one of the same name, whose end a list did not show. Upstream keeps that one.
   */
  setPod(pod: Pod): boolean {
    const { metadata, spec } = pod;
    const node = spec.nodeName ?? '';
    const { namespace = '', name = '' } = metadata;
    if (node === '') return this.deletePod(namespace, name);
    const key = keyOf(namespace, name);
    const stamp = referencesStamp(pod);
    const known = this.#pods.get(key);
    if (known?.node === node && known.stamp === stamp) return false;
    const referred = new Set<ReferredObject>();
    for (const [kind, to] of podReferences(pod)) referred.add(this.#object(kind, namespace, to));
    for (const object of referred) object.usePod(node);
    this.#addToNode(node);
    if (known !== undefined) this.#forget(known);
    this.#pods.set(key, { node, stamp, references: [...referred] });
    return true;
  }

  /** Returns false if the graph does not have the pod. */
  deletePod(namespace: string, name: string): boolean {
    const key = keyOf(namespace, name);
    const known = this.#pods.get(key);
    if (known === undefined) return false;
    this.#pods.delete(key);
    this.#forget(known);
    return true;
  }

  /** Adds or changes a volume. A volume without a claim leads to no node. */
  setVolume(volume: PersistentVolume): true {
    const { metadata, spec } = volume;
    const { name = '' } = metadata;
    const before = this.#volumes.get(name);
    this.#volumes.delete(name);
    if (spec.claimRef !== undefined) {
      const claim = this.#object('pvc', spec.claimRef.namespace ?? '', spec.claimRef.name ?? '');
      const secrets = new Set(volumeSecrets(volume).map(([namespace, to]) => this.#object('secret', namespace, to)));
      const bound = { claim, secrets: [...secrets] };
      claim.use();
      for (const secret of secrets) {
        secret.use();
        secret.volumes.add(bound);
      }
      this.#volumes.set(name, bound);
    }
    if (before !== undefined) this.#unbind(before);
    return true;
  }

  deleteVolume(name: string): void {
    const bound = this.#volumes.get(name);
    if (bound === undefined) return;
    this.#volumes.delete(name);
    this.#unbind(bound);
  }

  /** Sets the node that an object names; "" forgets the object. Returns false if nothing has changed. */
  setNodeOf(kind: NamingKind, { namespace = '', name = '' }: Named, node: string): boolean {
    const nodes = this.#nodeOf[kind];
    const key = keyOf(namespace, name);
    const before = nodes.get(key) ?? '';
    if (before === node) return false;
    if (before !== '') this.#removeFromNode(before);
    if (node === '') {
      nodes.delete(key);
      return true;
    }
    nodes.set(key, node);
    this.#addToNode(node);
    return true;
  }

  /** The reason why the node has no relation to the object, for logs; undefined if it has one. */
  missingRelation(node: string, kind: GraphKind, namespace: string, name: string): string | undefined {
    const object = `${kind} ${namespace}/${name}`;
    if (!this.#nodes.has(node)) return `unknown node '${node}' cannot get ${object}`;
    const related = this.#isRelated(node, kind, keyOf(namespace, name));
    if (related === undefined) return `node '${node}' cannot get unknown ${object}`;
    if (related) return undefined;
    return `node '${node}' cannot get ${object}, no relationship to this object was found in the node authorizer graph`;
  }

  /** Namespaces and names of all pods, joined by a slash. */
  podKeys(): Iterable<string> {
    return this.#pods.keys();
  }

  volumeNames(): Iterable<string> {
    return this.#volumes.keys();
  }

  /** The names of objects that name their node, after their namespace and a slash if there is one. */
  namesOf(kind: NamingKind): Iterable<string> {
    return this.#nodeOf[kind].keys();
  }

  /** Undefined for an object that the graph does not have. */
  #isRelated(node: string, kind: GraphKind, key: string): boolean | undefined {
    switch (kind) {
      case 'pod': {
        const pod = this.#pods.get(key);
        return pod && pod.node === node;
      }
      case 'pv':
        return this.#volumes.get(key)?.claim.hasNode(node);
      case 'podcertificaterequest':
      case 'resourceslice':
      case 'volumeattachment': {
        const named = this.#nodeOf[kind].get(key);
        return named === undefined ? undefined : named === node;
      }
      default: {
        const object = this.#referred[kind].get(key);
        return object && (object.hasNode(node) || object.volumes.some(({ claim }) => claim.hasNode(node)));
      }
    }
  }

  /** The caller counts its use. */
  #object(kind: ReferredKind, namespace: string, name: string): ReferredObject {
    const objects = this.#referred[kind];
    const key = keyOf(namespace, name);
    let object = objects.get(key);
    if (object === undefined) {
      object = new ReferredObject(kind, key);
      objects.set(key, object);
    }
    return object;
  }

  #forget({ node, references }: KnownPod): void {
    for (const object of references) {
      object.releasePod(node);
      this.#dropUnused(object);
    }
    this.#removeFromNode(node);
  }

  #unbind(bound: BoundVolume): void {
    bound.claim.release();
    this.#dropUnused(bound.claim);
    for (const secret of bound.secrets) {
      secret.release();
      secret.volumes.delete(bound);
      this.#dropUnused(secret);
    }
  }

  #dropUnused(object: ReferredObject): void {
    if (object.isUnused) this.#referred[object.kind].delete(object.key);
  }

  #addToNode(node: string): void {
    this.#nodes.set(node, (this.#nodes.get(node) ?? 0) + 1);
  }

  #removeFromNode(node: string): void {
    const left = (this.#nodes.get(node) ?? 0) - 1;
    if (left > 0) this.#nodes.set(node, left);
    else this.#nodes.delete(node);
  }
}

/** Names have no slash. Cluster-scoped objects are known by their name alone. */
function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
