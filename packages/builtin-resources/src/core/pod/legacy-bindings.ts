import { Binding } from '@apiserver/api/core/v1';
import type { InstalledResource } from '@apiserver/apiserver-contracts';
import { defineReview } from '../../review/define-review.js';

/** Bindings as a resource of their own, equivalent to a pod's binding endpoint. Not stored. */
const bindings = defineReview(Binding, { resource: 'bindings', scope: 'Namespaced' });

/** Bindings for the pods of one server. Upstream: LegacyBindingREST of pkg/registry/core/pod/storage/storage.go */
export function installedBindings(pods: InstalledResource): InstalledResource {
  return { definition: bindings, storage: pods.subresources.binding ?? {}, subresources: {} };
}
