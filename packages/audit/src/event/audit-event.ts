import type { Status } from '@apiserver/apimachinery';
import type { UserInfo } from '@apiserver/apiserver-contracts';

/** Amounts of information in events, in ascending order. Upstream: k8s.io/apiserver/pkg/apis/audit.Level */
export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** The amount of information in an event. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** Moments of a request at which events are made. Upstream: k8s.io/apiserver/pkg/apis/audit.Stage */
export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
/** The moment of an event. */
export type AuditStage = (typeof AUDIT_STAGES)[number];

/** Reports whether a level contains the information of another one. */
export function isAtLeast(level: AuditLevel, other: AuditLevel): boolean {
  return AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(other);
}

/** The target of a request. Empty fields are absent in an event. */
export interface ObjectReference {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  apiGroup: string;
  apiVersion: string;
  resourceVersion: string;
  subresource: string;
}

/** The fields of a Status in an event. The code is that of the response. */
export type AuditedStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** The facts of a request that its first event has. */
export interface RequestFacts {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  /** Undefined without authentication. */
  readonly user: UserInfo | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly receivedAt: number;
}

/** The rest of an event, which changes from stage to stage. */
export interface EventState {
  readonly stage: AuditStage;
  /** Milliseconds since the epoch, with fractions. */
  readonly stageAt: number;
  readonly impersonatedUser: UserInfo | undefined;
  /** The verb of constrained impersonation, or "". */
  readonly impersonationConstraint: string;
  readonly objectRef: Readonly<ObjectReference> | undefined;
  readonly responseStatus: AuditedStatus | undefined;
  /** Compact JSON in parts. */
  readonly requestObject: readonly Uint8Array[] | undefined;
  readonly responseObject: readonly Uint8Array[] | undefined;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}
