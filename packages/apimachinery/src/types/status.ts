import type { ListMeta } from './object-meta.js';

/** The body of a response without an object: failures, and successes without other content. */
export interface Status {
  kind: 'Status';
  apiVersion: string;
  metadata: ListMeta;
  /** `Success` or `Failure`. An admission webhook may choose another text for its refusal. */
  status: string;
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  /** The HTTP status code of the response. */
  code?: number;
}

/**
 * Machine-readable cause of a failure. Absent (upstream's empty string) means unknown. Admission webhooks and
 * aggregated servers may define their own reasons.
 */
export type StatusReason = KnownStatusReason | (string & {});

/** The reasons that upstream's server and clients know. */
export type KnownStatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';

/** The subject of a Status. `kind` is a resource name in most failures, a kind in Invalid ones, as upstream. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** One of several reasons of a failure; `field` is a path such as `spec.ports[0].name`. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** `StatusCause.reason` of an apply conflict, one per field that another manager owns. */
export const CAUSE_FIELD_MANAGER_CONFLICT = 'FieldManagerConflict';

/** `StatusCause.reason` of a response that was not a Status. */
export const CAUSE_UNEXPECTED_SERVER_RESPONSE = 'UnexpectedServerResponse';

/** `StatusCause.reason` of a resource version the server has not reached yet. */
export const CAUSE_RESOURCE_VERSION_TOO_LARGE = 'ResourceVersionTooLarge';

/** `StatusCause.reason` of a create that is rejected because its namespace is being deleted. */
export const CAUSE_NAMESPACE_TERMINATING = 'NamespaceTerminating';
