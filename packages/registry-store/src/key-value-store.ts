import type { KeyValueError } from './key-value-error.js';

/** A stored value. Keys are ordered by their UTF-8 bytes, as in etcd. */
export interface KeyValue {
  readonly key: string;
  /** Never changed by anybody: stores and caches share it. */
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly modRevision: number;
  /** The value cannot be read, and is empty: what the store keeps of it is damaged. */
  readonly damage?: KeyValueError;
}

/** `key` as read at `revision`. */
export interface GetResult {
  readonly kv: KeyValue | undefined;
  /** The revision the read was made at. */
  readonly revision: number;
}

/** Keys from `start` (inclusive) to `end` (exclusive). */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

/** What of the keys is read, and as of when. */
export interface RangeRequest extends KeyRange {
  /** At most so many entries; absent: all. */
  readonly limit?: number;
  /** Read as of this revision; absent: the newest. */
  readonly revision?: number;
  /** Also count the entries that exist beyond `limit`; without it `count` may be missing when there are more. */
  readonly count?: boolean;
  /** The values are not wanted, and are empty where it costs something to read them. */
  readonly keysOnly?: boolean;
}

/** A range of which only what changed is wanted. */
export interface ChangedRequest extends KeyRange {
  /** Keys that were written later are wanted. */
  readonly after: number;
  /** At most so many. */
  readonly limit: number;
  /** Read as of this revision; absent: the newest. */
  readonly revision?: number;
}

/** What a range's keys that changed hold now, and how many keys the range has in all. */
export interface ChangedResult extends RangeResult {
  readonly count: number;
}

/** The entries of a range in the order of their keys, as of one revision. */
export interface RangeResult {
  readonly kvs: readonly KeyValue[];
  /** True when `limit` cut the range off. */
  readonly more: boolean;
  /** How many entries the whole range has, when asked for or when nothing was cut off. */
  readonly count: number | undefined;
  /** The revision the read was made at. */
  readonly revision: number;
}

/**
 * One write on one key, made only if the key's modRevision is `expectedRevision` (0: the key does not exist).
 * A put without `ttlSeconds` takes an earlier time to live off the key.
 */
export type CommitRequest =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly expectedRevision: number;
      readonly ttlSeconds?: number;
    }
  | { readonly type: 'delete'; readonly key: string; readonly expectedRevision: number };

/** `committed: false` means that the comparison failed: `current` is what is there, and nothing was written. */
export type CommitResult =
  | { readonly committed: true; readonly revision: number }
  | { readonly committed: false; readonly current: KeyValue | undefined; readonly revision: number };

/** One change. `previous` is what the key had before; undefined when it did not exist. */
export type KeyValueEvent =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly revision: number;
      readonly previous: KeyValue | undefined;
      readonly more?: boolean;
    }
  | {
      readonly type: 'delete';
      readonly key: string;
      readonly revision: number;
      readonly previous: KeyValue | undefined;
      /** Another event of the same revision follows in the same turn. */
      readonly more?: boolean;
    };

/** Which keys are watched: from `start` on, those before `end`. */
export interface KeyValueWatchRequest {
  readonly start: string;
  readonly end: string;
  /** First revision to deliver; it may lie ahead of the newest. Absent: from the next change on. */
  readonly fromRevision?: number;
  /** False: `previous` of the events is not looked at, and a store to which it is dear may leave it out. */
  readonly previous?: boolean;
}

/** Gets the events of a watch: synchronously, in revision order, never re-entrantly. */
export interface KeyValueSink {
  event(event: KeyValueEvent): void;
  /** A store on the network has said how far the watch is, without an event. */
  progress?(): void;
  /** The last call, and only when the store ends the watch (Compacted, Unavailable, Closed); not after `close()`. */
  end(error: KeyValueError): void;
}

/** A running watch. */
export interface KeyValueWatch {
  /** Every event of the range up to this revision has been delivered. It advances with commits outside the range too. */
  readonly revision: number;
  /**
   * Resolves when all that was committed before the call has been delivered; undefined when it already is, which with
   * an in-process store is always so once past events are through. Where `freshness` is "unknown" it resolves when the
   * watch stands, and promises nothing. Rejects with a KeyValueError.
   */
  catchUp(signal?: AbortSignal): Promise<void> | undefined;
  /** Stops delivery. Idempotent. */
  close(): void;
}

/**
 * What a watch knows about what it has not been told yet.
 * - immediate: this process alone writes, and a commit is delivered before it is acknowledged.
 * - onRequest: others write too; `catchUp` asks how far the watch is, which costs a round trip.
 * - unknown: others write too, and the server cannot tell: only a read of the store is fresh.
 */
export type WatchFreshness = 'immediate' | 'onRequest' | 'unknown';

/**
 * The byte seam below objects: an ordered map of keys with one revision counter for the whole store, as etcd has it.
 *
 * A committed value, its event and its revision become visible together, and only after they are durable: an in-process
 * store delivers the event to every caught-up watch before the promise of `commit` settles. No revision is ever given to
 * two commits. All failures are KeyValueErrors.
 */
export interface KeyValueStore extends AsyncDisposable {
  /** Absent: immediate. It may change once while a store finds out what is behind it. */
  readonly freshness?: WatchFreshness;
  /** The last compaction that this process has heard of; 0: none. Absent: `compactedRevision` costs no request. */
  readonly knownCompaction?: number;
  /** Why what is behind this store is not what it was when it was opened; undefined: it is. Absent: it cannot become another. */
  readonly replacement?: string | undefined;
  get(key: string, options?: { readonly revision?: number }): Promise<GetResult>;
  /** Throws Compacted, FutureRevision. */
  range(request: RangeRequest): Promise<RangeResult>;
  /**
   * Who knows all of a range as of a revision learns from it what there is now, except which keys were deleted. Absent where
   * reading costs no more. Throws Compacted, FutureRevision.
   */
  rangeChanged?(request: ChangedRequest): Promise<ChangedResult>;
  /**
   * Reads a whole range at the newest revision, in key order, and answers that revision. A value is only lent: it is good
   * until `visit` returns, and the next key follows when what it returned has settled. Absent where pages are as cheap.
   */
  scan?(range: KeyRange, visit: (kv: KeyValue) => void | Promise<void>): Promise<number>;
  /** Never retried by the store: after an Unavailable the caller does not know whether the write happened. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Past events follow in later turns of the event loop, batch by batch. A compacted `fromRevision` ends the sink. */
  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch;
  /** The newest revision. 1 on an empty store, as in etcd. */
  currentRevision(): Promise<number>;
  /** Forgets what was overwritten or deleted at or before `revision`: reads below it and watches from it fail from then on. */
  compact(revision: number): Promise<void>;
  /** Bytes on disk; absent where nobody asks. */
  size?(): Promise<number>;
  /** Tells from now on how many keys a lease was asked for, the one included that gets another. Absent: no leases. */
  observeLeases?(told: (keys: number) => void): void;
  /** The revision of the last compaction; 0: none. */
  compactedRevision(): Promise<number>;
}

/** The end of the range of all keys that start with `prefix`: undefined-free because a prefix here never ends in U+10FFFF. */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}
