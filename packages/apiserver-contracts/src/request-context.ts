import type { RequestAudit } from './audit.js';
import type { RequestInfo } from './request-info.js';
import type { TraceSpan } from './tracing.js';
import type { UserInfo } from './user-info.js';

/** Collects the Warning headers of one response. */
export interface WarningRecorder {
  /** Adds a 299 warning. Drops duplicates, and those that would exceed the header budget, as upstream. */
  warn(text: string): void;
}

/** Milliseconds that a request has waited for others. The latency of the server's own work leaves them out. */
export interface RequestWaits {
  /** For all mutating webhooks, which are called one after the other. */
  readonly mutatingWebhooks: number;
  /** For the slowest validating webhook: they are called together. */
  readonly validatingWebhooks: number;
  /** For a seat of its priority level. */
  readonly seat: number;
}

/** The results of the filters for one request. Exactly one filter writes each field; the field names it. */
export interface RequestContext {
  /** Milliseconds since the epoch; set when the exchange is created. */
  readonly receivedAt: number;
  /** The same time on the monotonic clock (`performance.now()`) in milliseconds; the start of all durations. */
  readonly startedAt: number;
  /** requestInfo */
  requestInfo: RequestInfo | undefined;
  /** authentication, then impersonation */
  user: UserInfo | undefined;
  /** authentication: the audiences that the credential is valid for; undefined if it names none. */
  audiences: readonly string[] | undefined;
  /**
   * authentication: tells whether a header, by its name in lower case, is one by which a front proxy identifies users.
   * Such headers are for this server alone. Undefined: the server trusts no front proxy.
   */
  isIdentityHeader?: ((name: string) => boolean) | undefined;
  /** warningRecorder */
  warnings: WarningRecorder;
  /** requestDeadline: on the monotonic clock, as `startedAt`; undefined for long-running requests. */
  deadline: number | undefined;
  /** auditInit, then audit: undefined if the request is not audited. */
  audit: RequestAudit | undefined;
  /** uncompressed: true if the server compresses no response of an API. */
  isUncompressed?: boolean;
  /** Observed filters: the start of the current one, by `performance.now()`. */
  filterStartedAt?: number | undefined;
  /** tracing, then handlers: the work that goes on now. Undefined if the server does not trace. */
  span?: TraceSpan | undefined;
  /** priorityAndFairness, and admission of webhooks. Undefined: the request has not waited. */
  waits?: RequestWaits | undefined;
  /** priorityAndFairness: the handler of a watch calls it once the client has got the past events. */
  watchInitialized: (() => void) | undefined;
  /** Values that later filters attach (audit, tracing), keyed by a private symbol of each owner. */
  readonly values: Map<symbol, unknown>;
}
