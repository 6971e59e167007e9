import type { GroupVersionKind, GroupVersionResource } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition } from './resource-definition.js';

/**
 * Properties of a resource endpoint for its verb handlers, computed once when the resource is installed.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers.RequestScope
 */
export interface RequestScope {
  readonly definition: AnyResourceDefinition;
  /** Kind of the endpoint's objects; a subresource may have a kind of another group (Scale). */
  readonly kind: GroupVersionKind;
  /** Kind in the hub version, in which strategies and admission work. */
  readonly hubKind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly codec: KindCodec;
}
