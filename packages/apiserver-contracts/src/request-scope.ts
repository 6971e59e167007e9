import type { GroupVersionKind, GroupVersionResource } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition, ResourceVersionDefinition } from './resource-definition.js';

/** One version in which objects can be represented. */
export interface EndpointVersion {
  /** Kind of the objects; a subresource may have a kind of another group (Scale). */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly versionDefinition: ResourceVersionDefinition;
  readonly codec: KindCodec;
}

/**
 * Properties of a resource endpoint for its verb handlers, computed once when the resource is installed.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers.RequestScope
 */
export interface RequestScope extends EndpointVersion {
  readonly definition: AnyResourceDefinition;
  /** Kind in the hub version, in which strategies and admission work. */
  readonly hubKind: GroupVersionKind;
  readonly subresource: string;
  readonly namespaced: boolean;
  /**
   * The versions, in any group, in which the same objects are served; this one included, in order of installation.
   * Unserved versions of a custom resource follow.
   * Upstream: k8s.io/apimachinery/pkg/runtime.EquivalentResourceMapper
   */
  equivalents(): readonly EndpointVersion[];
}
