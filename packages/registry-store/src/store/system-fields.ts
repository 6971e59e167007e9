import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { type StoreCore, timestamp } from './store-core.js';

/**
 * Gives a new object its uid and creation time. Only a create drops the other fields that clients may not set: the
 * handler does it.
 * Upstream: FillObjectMetaSystemFields of k8s.io/apiserver/pkg/registry/rest/meta.go
 */
export function fillSystemFields<T extends KubeObject>(core: StoreCore<T>, metadata: ObjectMeta): void {
  metadata.creationTimestamp = timestamp(core);
  metadata.uid = core.newUid();
}

/**
 * Sets the namespace of the request, and clears it on cluster-scoped objects. Throws 400 if the object names another
 * one.
 * Upstream: EnsureObjectNamespaceMatchesRequestNamespace of k8s.io/apiserver/pkg/registry/rest/meta.go
 */
export function ensureNamespace<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  metadata: ObjectMeta,
): void {
  const own = metadata.namespace ?? '';
  const requested = core.namespaced ? context.namespace : '';
  if (own === requested) return;
  if (own === '') metadata.namespace = requested;
  else if (requested === '') delete metadata.namespace;
  else {
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
