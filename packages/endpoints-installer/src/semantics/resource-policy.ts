import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { PatchType } from '../negotiation/patch-types.js';
import type { RoutingPolicy } from './routing-policy.js';

/** How discovery lists a resource. */
interface DiscoveryPolicy {
  /** Versions are ranked by their names; otherwise they stay in the order of installation. */
  readonly ranksVersionsByName: boolean;
  compareSubresources(a: string, b: string): number;
}

/** How OpenAPI documents a resource. */
export interface OpenApiPolicy {
  /** Kinds are in the scheme of the server. Otherwise the controller of their definitions writes the document. */
  readonly isInScheme: boolean;
  /** Documents name the lists of groups and resources. */
  readonly documentsDiscovery: boolean;
  /** Documents have the watch paths and the encodings of streams. */
  readonly documentsWatches: boolean;
  /** Reads are documented with the parameters of GetOptions. */
  readonly documentsGetOptions: boolean;
  /** Deletes of collections are documented with DeleteOptions; otherwise with ListOptions alone. */
  readonly documentsCollectionOptions: boolean;
  /** Patches are documented to create objects. */
  readonly documentsCreatingPatch: boolean;
  /** Operations on a subresource name the kind of its resource; otherwise the kind of its own objects. */
  readonly namesResourceKind: boolean;
  /** Content types that requests are documented to take, patches aside. */
  readonly consumes: readonly string[];
  /** Encodings that responses are documented in. */
  readonly produces: readonly MediaType[];
  /** Lists state the words of their definition; otherwise their documentation is looked up. */
  readonly listsDescribeThemselves: boolean;
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
  /** Throws a 500 where upstream cannot compare an unmanaged object with its first configuration. */
  checkFirstApply(definition: AnyResourceDefinition, kind: GroupVersionKind): void;
  /** The refusal of list metadata for an object. `asked` is the kind that the client asked for. */
  notAList(asked: string, kind: GroupVersionKind): StatusError;
  /** The refusal of object metadata for a list of `listKind`. */
  notAnObject(asked: string, listKind: GroupVersionKind): StatusError;
}
