import type { KubeObject, OwnerReference } from '@apiserver/apimachinery';

/** An object as references name it. `namespace` is "" for objects of the cluster. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The metadata that the graph needs. */
export type OwnedMetadata = Pick<
  KubeObject['metadata'],
  'deletionTimestamp' | 'finalizers' | 'name' | 'namespace' | 'ownerReferences' | 'uid'
>;

/** The owner that a reference names, if it is in this namespace ("" for the cluster). */
export function referencedOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ObjectIdentity {
  return { apiVersion, kind, namespace, name, uid };
}

/** True if a reference names the object, whatever its namespace. */
export function namesObject(reference: OwnerReference, object: ObjectIdentity): boolean {
  const { apiVersion, kind, name, uid } = reference;
  return apiVersion === object.apiVersion && kind === object.kind && name === object.name && uid === object.uid;
}

/** A text that is the same for equal identities only. */
export function identityKey({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return JSON.stringify([uid, apiVersion, kind, namespace, name]);
}

/** Upstream: objectReference.String of pkg/controller/garbagecollector/graph.go */
export function identityText({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
