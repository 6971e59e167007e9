import type { ObjectMeta, Status } from '@apiserver/apimachinery';
import type { UserInfo } from './user-info.js';

/** JSON in parts, in order. A promise stands for work in other event loop turns; the next part is taken after it. */
export type AuditedJson = Iterable<Uint8Array | Promise<unknown>>;

/** Layers whose time is part of the event of a slow request. */
export type AuditedLayer =
  | 'authentication'
  | 'authorization'
  | 'impersonation'
  | 'apf-queue-wait'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'etcd'
  | 'decode-response-object'
  | 'transform-response-object'
  | 'serialize-response-object'
  | 'response-write';

/**
 * The audit event of one request, as filters and handlers fill it. It ignores calls that its level does not need.
 * Upstream: k8s.io/apiserver/pkg/audit.AuditContext
 */
export interface RequestAudit {
  /** True if the body of the request becomes part of the event. Otherwise it need not be encoded. */
  readonly wantsRequestObject: boolean;
  /** The same for the body of the response. */
  readonly wantsResponseObject: boolean;
  /** Adds an annotation. The first value of a key stays. */
  annotate(key: string, value: string): void;
  /** Adds milliseconds that a layer has taken. */
  spend(layer: AuditedLayer, milliseconds: number): void;
  /** `constraint` is the verb of constrained impersonation that allowed it, or "". */
  impersonate(user: UserInfo, constraint: string): void;
  /** Fills in the reference to the object where the path does not name it. */
  requestTarget(metadata: Partial<ObjectMeta>): void;
  /** The sent object in its version, in Go's JSON. The bytes must not change afterwards. */
  requestObject(json: Uint8Array): void;
  /** A patch, as sent. */
  requestPatch(bytes: Uint8Array): void;
  /** The Status that is the response, or what is known of it. */
  responseStatus(status: Partial<Status>): void;
  /** The response in Go's JSON, whatever the client accepts. Taken when the response is complete. */
  responseObject(json: AuditedJson): void;
}
