import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { PatchType } from '../negotiation/patch-types.js';
import type { RoutingPolicy } from './routing-policy.js';

/** How discovery lists a resource. */
export interface DiscoveryPolicy {
  /** Versions are ranked by their names; otherwise they stay in the order of installation. */
  readonly ranksVersionsByName: boolean;
  compareSubresources(a: string, b: string): number;
}

/** How OpenAPI documents a resource. */
export interface OpenApiPolicy {
  /** The routes stand in a document of their own maker: discovery is not part of it. */
  readonly isPublished: boolean;
}

/**
 * How a resource is served where resources differ by semantics. Handlers ask the policy for a behaviour. They never ask
 * for the semantics themselves.
 */
export interface ResourcePolicy {
  readonly routing: RoutingPolicy;
  readonly discovery: DiscoveryPolicy;
  readonly openApi: OpenApiPolicy;
  /** In the order in which messages list them, without apply in CBOR. */
  readonly patchTypes: readonly PatchType[];
  /** Objects have a protobuf form. Their metadata always has one. */
  readonly hasProtobuf: boolean;
  /** Field selectors are limited to fields that the kind declares. Otherwise upstream's default conversion applies. */
  declaresSelectors(definition: AnyResourceDefinition): boolean;
  /** Throws a 500 where upstream cannot compare an object that nobody manages yet with its first configuration. */
  checkFirstApply(definition: AnyResourceDefinition, kind: GroupVersionKind): void;
  /** The refusal of list metadata for an object. `asked` is the kind that the client asked for. */
  notAList(asked: string, kind: GroupVersionKind): StatusError;
  /** The refusal of object metadata for a list of `listKind`. */
  notAnObject(asked: string, listKind: GroupVersionKind): StatusError;
}
