import type { KubeObject } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import type { StoreCore } from './store-core.js';

/**
 * The storage key of a name: "name", or "namespace/name" for a namespaced kind. Throws 400 if the namespace or the name
 * is missing, or the name is not a valid path segment.
 * Upstream: NamespaceKeyFunc and NoNamespaceKeyFunc of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export function storageKey<T extends KubeObject>(core: StoreCore<T>, context: VerbContext, name: string): string {
  if (core.namespaced && context.namespace === '') throw newBadRequest('Namespace parameter required.');
  if (name === '') throw newBadRequest('Name parameter required.');
  const faults = validatePathSegmentName(name);
  if (faults.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${faults.join(';')}`);
  return core.namespaced ? `${context.namespace}/${name}` : name;
}

/** The prefix of all keys that a list or watch in this namespace reads; "" for all namespaces. */
export function storagePrefix<T extends KubeObject>(core: StoreCore<T>, namespace: string): string {
  return core.namespaced && namespace !== '' ? `${namespace}/` : '';
}
