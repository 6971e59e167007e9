import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type {
  AdmissionChain,
  Authorizer,
  Logger,
  RequestScope,
  ResourceVersionDefinition,
  RestStorage,
} from '@apiserver/apiserver-contracts';
import type { FieldManager } from '../managed-fields/field-manager.js';
import type { MediaType } from '../negotiation/media-types.js';
import type { OutputRestrictions } from '../negotiation/negotiate-output.js';
import type { EndpointMetrics } from './endpoint-metrics.js';
import type { ObjectForm } from './object-form.js';

/** What all handlers of a container share. */
export interface HandlerEnvironment {
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly maxRequestBodyBytes: number;
  readonly minRequestTimeoutSeconds: number;
  readonly maxWatchBufferBytes: number;
  readonly metrics: EndpointMetrics;
  /** The documentation of a field, by OpenAPI definition and field name; "" when there is none. */
  readonly fieldDescription: (definition: string, field: string) => string;
  /** Whether objects of this kind are served anywhere here; it decides how a body of the wrong kind is refused. */
  readonly knowsKind: (kind: GroupVersionKind) => boolean;
}

/** A RequestScope with what only the handlers need. */
export interface EndpointScope extends RequestScope, OutputRestrictions {
  readonly storage: RestStorage;
  readonly listKind: string;
  readonly versionDefinition: ResourceVersionDefinition;
  /** Encodings of answers, the default first. */
  readonly mediaTypes: readonly MediaType[];
  /** Encodings of request bodies, the default first. */
  readonly bodyMediaTypes: readonly MediaType[];
  readonly environment: HandlerEnvironment;
  readonly fieldManager: FieldManager;
  /** The form of the endpoint's objects in one of its encodings. */
  form(mediaType: MediaType): ObjectForm;
  /** From the hub version to this endpoint's; answers its argument when they are the same. */
  toVersion(object: KubeObject): KubeObject;
}
