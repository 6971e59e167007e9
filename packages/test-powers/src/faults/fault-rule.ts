import type { Duration } from '../matching/duration.js';
import type { RequestSelector } from '../matching/request-selector.js';
import type { TextPattern } from '../matching/text-pattern.js';

/** The reasons of a response that the server writes as it does for a real failure. */
export const faultReasons = [
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Expired',
  'Forbidden',
  'InternalError',
  'NotFound',
  'ServerTimeout',
  'ServiceUnavailable',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
] as const;

/** A reason of a Status for which the server has a message of its own. */
export type FaultReason = (typeof faultReasons)[number];

/** A Status for the resource and name of the request. */
export interface StatusFault {
  readonly reason: FaultReason;
  /** Default: the server's own words. */
  readonly message?: string;
  /** Seconds, for the Status and the header Retry-After. */
  readonly retryAfter?: number;
}

/** Any other response, such as that of a load balancer. */
export interface RawFault {
  readonly code: number;
  /** A text, or a value that is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a watch after a number of events or after a time. With neither, the watch ends when it begins. */
export interface WatchFault {
  /** In order, by a broken connection, or with an event that says 410. */
  readonly end: 'closed' | 'reset' | 'expired';
  readonly events?: number;
  readonly time?: Duration;
}

/** A slow store. Its reads are few: most requests read from caches. */
export interface StorageFault {
  readonly delay: Duration;
  /** Default: both. */
  readonly operation?: 'read' | 'write';
  /** Keys that begin like this, such as `/registry/pods/`. Default: all. */
  readonly key?: string;
}

/** The effect on a request that a rule strikes. At least a delay, and at most one of the others. */
export interface FaultEffect {
  /** Time before everything else. It passes on the server's clock. */
  readonly delay?: Duration;
  readonly response?: StatusFault | RawFault;
  /** The connection breaks instead of a response. After the commit: the request has had its effect. */
  readonly cut?: 'before commit' | 'after commit';
  readonly watch?: WatchFault;
  /** 410 for pages of lists, lists at an exact version, and watches from a version. Other requests are not struck. */
  readonly expired?: true;
  /** Bookmarks of watches that never come, or late. The one after initial events may be late, but is never left out. */
  readonly bookmarks?: 'never' | { readonly delay: Duration };
  /**
   * The server finds no listener at webhooks: at all, or at those with such a path. Such a rule selects no requests.
   */
  readonly webhook?: 'refused' | { readonly refused: TextPattern };
  /** Of storage instead of requests: such a rule selects no requests. */
  readonly storage?: StorageFault;
}

/** A fault, as a JSON value. */
export interface FaultRule extends RequestSelector, FaultEffect {
  /** Default: `fault-1` and so on. */
  readonly id?: string;
  /** Requests that match and pass before the first strike. Default: 0. */
  readonly after?: number;
  /** Strikes until the rule has no effect any more. Default: no limit. */
  readonly times?: number;
  /** The share of strikes, from 0 to 1. Default: 1. */
  readonly rate?: number;
  /** The start of the random numbers of `rate`. Default: the number of the rule. */
  readonly seed?: number;
}

/** A rule that is in force. */
export interface ActiveFault extends FaultRule {
  readonly id: string;
  /** Requests that matched. */
  readonly matched: number;
  readonly struck: number;
}

/** One strike, as records of requests list it. */
export interface FaultStrike {
  /** The ID of the rule. */
  readonly rule: string;
  readonly effect: keyof FaultEffect;
}
