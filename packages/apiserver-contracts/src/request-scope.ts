import type { GroupVersionKind, GroupVersionResource } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition } from './resource-definition.js';

/**
 * Everything a verb handler knows about the resource it serves, worked out once when the resource is installed.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers.RequestScope
 */
export interface RequestScope {
  readonly definition: AnyResourceDefinition;
  /** Kind of the objects this endpoint takes and gives; for a subresource it may be of another group (Scale). */
  readonly kind: GroupVersionKind;
  /** Version of the storage hub, which strategies and admission work in. */
  readonly hubKind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly codec: KindCodec;
}
