import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { Column, RequestScope, RestStorage } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { OutputRestrictions } from '../negotiation/negotiate-output.js';
import type { KindPolicy } from '../semantics/kind-policy.js';
import type { ResourcePolicy } from '../semantics/resource-policy.js';
import type { HandlerEnvironment } from './handler-environment.js';
import type { ObjectForm } from './object-form.js';

/** A RequestScope with the properties of an endpoint's objects for handlers. */
export interface ObjectScope extends RequestScope, OutputRestrictions {
  readonly storage: RestStorage;
  /** The policy of the resource, regardless of the kind of the endpoint's objects. */
  readonly resourcePolicy: ResourcePolicy;
  /** Of the endpoint's objects. */
  readonly kindPolicy: KindPolicy;
  readonly listKind: string;
  /** The columns of a Table of the endpoint's objects; empty if there is no Table. */
  readonly columns: readonly Column[];
  /** Encodings of responses, the default first. */
  readonly mediaTypes: readonly MediaType[];
  /** Encodings of request bodies, the default first. */
  readonly bodyMediaTypes: readonly MediaType[];
  readonly environment: HandlerEnvironment;
  /**
   * The codec for bodies of a kind, which may not be the endpoint's. Undefined if such bodies are refused undecoded.
   */
  codecOf(kind: GroupVersionKind): KindCodec | undefined;
  /** The form of the endpoint's objects in one of its encodings. */
  form(mediaType: MediaType): ObjectForm;
  /** Converts an object from the hub version to this endpoint's version. Returns its argument if they are the same. */
  toVersion(object: KubeObject): KubeObject;
}
