import type { KubeObject } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';

/**
 * Removes fields that only the server sets. Mutates.
 *
 * Upstream: WipeObjectMetaSystemFields in k8s.io/apiserver/pkg/registry/rest/meta.go
 */
export function wipeSystemFields({ metadata }: KubeObject): void {
  // V8 deletes slowly, even what is absent.
  if ('creationTimestamp' in metadata) delete metadata.creationTimestamp;
  if ('uid' in metadata) delete metadata.uid;
  if ('deletionTimestamp' in metadata) delete metadata.deletionTimestamp;
  if ('deletionGracePeriodSeconds' in metadata) delete metadata.deletionGracePeriodSeconds;
  if ('selfLink' in metadata) delete metadata.selfLink;
}

/**
 * Sets the namespace of the request on an object. Mutates. Throws a 400 if the object has another one.
 *
 * Upstream: EnsureObjectNamespaceMatchesRequestNamespace in k8s.io/apiserver/pkg/registry/rest/meta.go
 */
export function ensureNamespace({ metadata }: KubeObject, namespace: string): void {
  const named = metadata.namespace ?? '';
  if (named === namespace) return;
  if (namespace === '') delete metadata.namespace;
  else if (named === '') metadata.namespace = namespace;
  else throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Throws a 400 unless the object has the name in the path. Upstream: checkName in …/endpoints/handlers/rest.go */
export function checkName({ metadata }: KubeObject, name: string): void {
  const named = metadata.name ?? '';
  if (named === '') {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (named !== name) {
    throw newBadRequest(`the name of the object (${named}) does not match the name on the URL (${name})`);
  }
}
