import type { BoundObjectReference } from '@apiserver/api/authentication/v1';
import { isNotFound, newBadRequest, newConflict, newInternalError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { IssuedReference, IssueOrder } from './token-issuer.js';

/** The fields of a pod that a token depends on. */
export interface BoundPod extends BoundObject {
  readonly spec: { readonly serviceAccountName?: string; readonly nodeName?: string };
}

/** An object to which a token can be bound. */
export interface BoundObject {
  readonly metadata: { readonly name?: string; readonly uid?: string };
}

/** Reads objects to which tokens are bound. Each method rejects with a StatusError: 404 for a missing object. */
export interface BoundObjectGetter {
  pod(namespace: string, name: string): Promise<BoundPod>;
  secret(namespace: string, name: string): Promise<BoundObject>;
  node(name: string): Promise<BoundObject>;
}

/** The service account of a new token. */
export interface TokenOwner {
  readonly namespace: string;
  readonly name: string;
}

type Bonds = Pick<IssueOrder, 'pod' | 'secret' | 'node'>;

/**
 * The objects to which a requested token is bound. Throws a StatusError: 404 if missing, 400 for unsupported kinds
 * and for the pod of another account, 409 for another UID.
 * Upstream: TokenREST.Create in pkg/registry/core/serviceaccount/storage/token.go
 */
export async function boundObjects(
  objects: BoundObjectGetter,
  owner: TokenOwner,
  reference: BoundObjectReference,
): Promise<Bonds> {
  const { name = '', uid = '', kind = '' } = reference;
  const { group, version } = groupVersionOf(reference.apiVersion ?? '');
  const bonds = group === '' ? await bondsOf(objects, owner, { kind, name }) : undefined;
  if (bonds === undefined) {
    throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const found = bonds.pod ?? bonds.secret ?? bonds.node;
  if (uid !== '' && uid !== found?.uid) {
    throw newConflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return bonds;
}

interface Named {
  readonly kind: string;
  readonly name: string;
}

async function bondsOf(
  objects: BoundObjectGetter,
  owner: TokenOwner,
  { kind, name }: Named,
): Promise<Bonds | undefined> {
  switch (kind) {
    case 'Pod':
      return podBonds(objects, owner, name);
    case 'Secret':
      return { secret: referenceTo(await objects.secret(owner.namespace, name)) };
    case 'Node':
      return { node: referenceTo(await objects.node(name)) };
    default:
      return undefined;
  }
}

/** The token of a pod also names its node, even if the node no longer exists. */
async function podBonds(objects: BoundObjectGetter, owner: TokenOwner, name: string): Promise<Bonds> {
  const pod = await objects.pod(owner.namespace, name);
  if ((pod.spec.serviceAccountName ?? '') !== owner.name) {
    throw newBadRequest(
      `cannot bind token for serviceaccount ${quote(owner.name)} to pod running with different serviceaccount name.`,
    );
  }
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') return { pod: referenceTo(pod) };
  return { pod: referenceTo(pod), node: await nodeOfPod(objects, nodeName) };
}

async function nodeOfPod(objects: BoundObjectGetter, name: string): Promise<IssuedReference> {
  try {
    return referenceTo(await objects.node(name));
  } catch (error) {
    if (isNotFound(error)) return { name };
    throw newInternalError(error);
  }
}

function referenceTo({ metadata: { name = '', uid = '' } }: BoundObject): IssuedReference {
  return { name, uid };
}

/** Upstream: schema.FromAPIVersionAndKind, which ignores what it cannot parse. */
function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second, ...rest] = apiVersion.split('/');
  if (rest.length > 0) return { group: '', version: '' };
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
