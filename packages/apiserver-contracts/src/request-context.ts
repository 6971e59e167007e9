import type { RequestInfo } from './request-info.js';
import type { UserInfo } from './user-info.js';

/** Collects the Warning headers of one response. */
export interface WarningRecorder {
  /** Adds a 299 warning; duplicates and what would burst the header budget are dropped as upstream does. */
  warn(text: string): void;
}

/** What the filters have learned of a request. Each field is written by exactly one filter, named at the field. */
export interface RequestContext {
  /** Milliseconds since the epoch; set when the exchange is made. */
  readonly receivedAt: number;
  /** The same moment in milliseconds of the monotonic clock (`performance.now()`): what durations are measured from. */
  readonly startedAt: number;
  /** requestInfo */
  requestInfo: RequestInfo | undefined;
  /** authentication, and then impersonation */
  user: UserInfo | undefined;
  /** authentication: the audiences the credential is good for; undefined when it names none. */
  audiences: readonly string[] | undefined;
  /** warningRecorder */
  warnings: WarningRecorder;
  /** requestDeadline: milliseconds since the epoch; undefined for long-running requests. */
  deadline: number | undefined;
  /** A slot per owner for what later filters attach (audit, tracing), keyed by a private symbol of the owner. */
  readonly values: Map<symbol, unknown>;
}
