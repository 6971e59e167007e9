import type { KeyValueError } from './key-value-error.js';

/** A stored value. Keys are ordered by their UTF-8 bytes, as in etcd. */
export interface KeyValue {
  readonly key: string;
  /** Immutable: stores and caches share it. */
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly modRevision: number;
  /** Set if the stored value is damaged; the value is then empty. */
  readonly damage?: KeyValueError;
}

/** The state of `key` at `revision`. */
export interface GetResult {
  readonly kv: KeyValue | undefined;
  /** The revision of the read. */
  readonly revision: number;
}

/** Keys from `start` (inclusive) to `end` (exclusive). */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

/** The keys to read, and the revision. */
export interface RangeRequest extends KeyRange {
  /** Maximum number of entries; absent: all. */
  readonly limit?: number;
  /** Revision of the read; absent: the newest. */
  readonly revision?: number;
  /** Count the entries beyond `limit`; without it `count` may be missing when there are more. */
  readonly count?: boolean;
  /** Values are not needed, and are empty if reading them has a cost. */
  readonly keysOnly?: boolean;
}

/** A range of which only changed entries are needed. */
export interface ChangedRequest extends KeyRange {
  /** Only keys written after this revision. */
  readonly after: number;
  /** Maximum number of entries. */
  readonly limit: number;
  /** Revision of the read; absent: the newest. */
  readonly revision?: number;
}

/** The changed entries of a range, and the number of all its keys. */
export interface ChangedResult extends RangeResult {
  readonly count: number;
}

/** The entries of a range in key order, at one revision. */
export interface RangeResult {
  readonly kvs: readonly KeyValue[];
  /** True if `limit` truncated the range. */
  readonly more: boolean;
  /** Number of entries in the whole range, if requested or if it was not truncated. */
  readonly count: number | undefined;
  /** The revision of the read. */
  readonly revision: number;
}

/**
 * One write on one key, which requires the key's modRevision to be `expectedRevision` (0: the key does not exist). A
 * put without `ttlSeconds` removes an earlier time to live.
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

/** `committed: false` means that the comparison failed: `current` is the actual state, and nothing was written. */
export type CommitResult =
  | { readonly committed: true; readonly revision: number }
  | { readonly committed: false; readonly current: KeyValue | undefined; readonly revision: number };

/** One change. `previous` is the state before; undefined if the key did not exist. */
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

/** The watched keys: from `start` on, those before `end`. */
export interface KeyValueWatchRequest {
  readonly start: string;
  readonly end: string;
  /** First revision to deliver; it may be in the future. Absent: from the next change on. */
  readonly fromRevision?: number;
  /** False if `previous` of the events is not used; a store for which it is expensive may then omit it. */
  readonly previous?: boolean;
}

/** A key that a restore has changed. */
export interface RestoredKey {
  readonly key: string;
  /** Its state now, which may have an earlier revision than before; undefined if it does not exist. */
  readonly current: KeyValue | undefined;
}

/** Receives the events of a watch: synchronously, in revision order, never re-entrantly. */
export interface KeyValueSink {
  event(event: KeyValueEvent): void;
  /** A network store has reported the progress of the watch, without an event. */
  progress?(): void;
  /**
   * The whole store has returned to the state of a snapshot. The restore itself has `revision`, and everything before
   * it counts as compacted. The changed keys of the watch are in order. Absent: the watch ends with Compacted. The
   * restore resolves when the promise has settled.
   */
  restored?(revision: number, changed: readonly RestoredKey[]): Promise<void> | void;
  /** The last call, only if the store ends the watch (Compacted, Unavailable, Closed); not after `close()`. */
  end(error: KeyValueError): void;
}

/** A running watch. */
export interface KeyValueWatch {
  /**
   * Every event of the range up to this revision has been delivered. It advances with commits outside the range too.
   */
  readonly revision: number;
  /**
   * Resolves when everything committed before the call has been delivered; undefined if it already is, as always with
   * an in-process store once past events are delivered. If `freshness` is "unknown" it resolves when the watch is
   * established, without that guarantee. Rejects with a KeyValueError.
   */
  catchUp(signal?: AbortSignal): Promise<void> | undefined;
  /** Stops delivery. Idempotent. */
  close(): void;
}

/**
 * The freshness of a watch.
 * - immediate: only this process writes, and a commit is delivered before it is acknowledged.
 * - onRequest: others write too; `catchUp` requests the watch's progress, which costs a round trip.
 * - unknown: others write too, and the server cannot report progress: only a read of the store is fresh.
 */
export type WatchFreshness = 'immediate' | 'onRequest' | 'unknown';

/**
 * The storage interface below objects: an ordered map of bytes with one revision counter for the whole store, as in
 * etcd.
 *
 * A committed value, its event and its revision become visible together, and only after they are durable. An in-process
 * store delivers the event to every live watch before the promise of `commit` settles. A revision is never assigned
 * twice. All failures are KeyValueErrors.
 */
export interface KeyValueStore extends AsyncDisposable {
  /** Absent: immediate. It may change once, while the properties of the server are determined. */
  readonly freshness?: WatchFreshness;
  /** The last compaction known to this process; 0 for none. Absent: `compactedRevision` costs no request. */
  readonly knownCompaction?: number | undefined;
  /**
   * The reason why the server behind this store is not the one that was opened; undefined if it is. Absent: it cannot
   * be replaced.
   */
  readonly replacement?: string | undefined;
  get(key: string, options?: { readonly revision?: number }): Promise<GetResult>;
  /** Throws Compacted, FutureRevision. */
  range(request: RangeRequest): Promise<RangeResult>;
  /**
   * Reads what changed in a range. A caller that knows the whole range at an earlier revision learns the present,
   * except which keys were deleted. Absent if a full read costs no more. Throws Compacted, FutureRevision.
   */
  rangeChanged?(request: ChangedRequest): Promise<ChangedResult>;
  /**
   * Reads a whole range at the newest revision, in key order, and returns that revision. A value is lent: it is valid
   * until `visit` returns. The next key follows when the result of `visit` has settled. Absent if pages are as cheap.
   */
  scan?(range: KeyRange, visit: (kv: KeyValue) => void | Promise<void>): Promise<number>;
  /** Never retried by the store: after Unavailable the outcome of the write is unknown. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Past events follow in later event loop turns, batch by batch. A compacted `fromRevision` ends the sink. */
  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch;
  /** The newest revision. 1 on an empty store, as in etcd. */
  currentRevision(): Promise<number>;
  /** Drops what was overwritten or deleted at or before `revision`: later reads below it and watches from it fail. */
  compact(revision: number): Promise<void>;
  /** Bytes on disk; absent if unsupported. */
  size?(): Promise<number>;
  /** Reports the number of keys of each lease when it is replaced by another. Absent: no leases. */
  observeLeases?(observed: (keys: number) => void): void;
  /** The revision of the last compaction; 0 for none. */
  compactedRevision(): Promise<number>;
}

/**
 * The end of the range of all keys that start with `prefix`. Never undefined, because no prefix here ends in U+10FFFF.
 */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}
