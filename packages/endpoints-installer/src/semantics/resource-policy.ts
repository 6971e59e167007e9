import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { PatchType } from '../negotiation/patch-types.js';
import type { RoutingPolicy } from './routing-policy.js';

/** The form of a resource in discovery. */
interface DiscoveryPolicy {
  /**
   * True if a route serves the list of resources: for GET alone, and for its media types. Otherwise a handler serves it
   * for all methods.
   */
  readonly hasRoutes: boolean;
  /** True if versions are sorted by name; otherwise they are in the order of installation. */
  readonly ranksVersionsByName: boolean;
  /** True if the hash of the storage version does not depend on the gate StorageVersionHash. */
  readonly alwaysHasHash: boolean;
  compareSubresources(a: string, b: string): number;
}

/** The form of a resource in OpenAPI. */
export interface OpenApiPolicy {
  /** True if the kinds are in the scheme of the server; otherwise the controller of definitions writes the document. */
  readonly isInScheme: boolean;
  /** True if documents include the lists of groups and resources. */
  readonly documentsDiscovery: boolean;
  /** True if documents include watch paths and encodings of streams. */
  readonly documentsWatches: boolean;
  /** True if reads have the parameters of GetOptions. */
  readonly documentsGetOptions: boolean;
  /** True if deletes of collections have DeleteOptions; otherwise they have only ListOptions. */
  readonly documentsCollectionOptions: boolean;
  /** True if patches may create objects. */
  readonly documentsCreatingPatch: boolean;
  /** True if operations on a subresource name the kind of its resource; otherwise that of its own objects. */
  readonly namesResourceKind: boolean;
  /** Documented content types of requests, except patches. */
  readonly consumes: readonly string[];
  /** Documented encodings of responses. */
  readonly produces: readonly MediaType[];
  /** True if lists contain the descriptions of their definition; otherwise the descriptions are looked up. */
  readonly listsDescribeThemselves: boolean;
}

/** Behaviour of a resource that depends on its semantics. Handlers use the policy and never read the semantics. */
export interface ResourcePolicy {
  readonly routing: RoutingPolicy;
  readonly discovery: DiscoveryPolicy;
  readonly openApi: OpenApiPolicy;
  /** In the order of messages, without apply in CBOR. */
  readonly patchTypes: readonly PatchType[];
  /** True if objects have a protobuf form. Their metadata always has one. */
  readonly hasProtobuf: boolean;
  /**
   * Reports whether field selectors are limited to declared fields; otherwise upstream's default conversion applies.
   */
  declaresSelectors(definition: AnyResourceDefinition): boolean;
  /** The name, in messages, of upstream's scheme with the kinds of bodies for an endpoint of `kind`. */
  schemeName(kind: GroupVersionKind): string;
  /**
   * The message about any body that is not an object of `kind`; undefined if the message tells the reason.
   *
   * Upstream: transformDecodeError of k8s.io/apiserver/pkg/endpoints/handlers/rest.go
   */
  bodyFault(kind: GroupVersionKind, definition: AnyResourceDefinition): string | undefined;
  /** The reason why upstream cannot convert merged objects of `kind`; undefined if it can. */
  conversionFault(kind: GroupVersionKind, definition: AnyResourceDefinition): string | undefined;
  /** The error for list metadata of one object. `requested` is the requested kind, and `kind` that of the object. */
  notAList(requested: string, kind: GroupVersionKind, definition: AnyResourceDefinition): StatusError;
  /** The error for object metadata of a list of `listKind`. */
  notAnObject(requested: string, listKind: GroupVersionKind): StatusError;
}
