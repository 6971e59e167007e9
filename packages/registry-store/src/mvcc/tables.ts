/** The newest version of a key. Deleted keys stay until compaction, for reads of the past. */
export interface IndexRecord {
  readonly revision: number;
  readonly deleted: boolean;
  /** Milliseconds since the epoch; 0: never. */
  readonly expiresAt: number;
  /** True if it does not match its checksum: nothing in it is reliable, including its revision. */
  readonly damaged?: true;
}

/** One version of a key, found by its revision. */
export interface LogRecord {
  readonly key: string;
  /** Undefined: this version is a deletion. */
  readonly value: Uint8Array | undefined;
  /** Revision of the previous version (a deletion counts as one); 0 for none. */
  readonly previousRevision: number;
  /** True if it does not match its checksum: nothing in it is reliable. */
  readonly damaged?: true;
}

/** The end of a key: `expiresAt` is in milliseconds since the epoch. */
export interface ExpiryRecord {
  readonly key: string;
  readonly expiresAt: number;
  /** The id by which it was found. For a damaged record it differs from that of its key and time. */
  readonly id?: Uint8Array;
}

/** State of the whole store. */
export interface MetaRecord {
  /** The newest assigned revision. */
  readonly revision: number;
  /** Reads below it are rejected. */
  readonly compactedRevision: number;
  /** Progress of the compaction's removal; at most compactedRevision. */
  readonly prunedRevision: number;
  /** Time of the last periodic compaction; the revision at that time is the target of the next one. */
  readonly tickTime: number;
  readonly tickRevision: number;
}

/** Writes that become durable atomically. */
export interface TableWrites {
  readonly index: ReadonlyMap<string, IndexRecord | undefined>;
  readonly log: ReadonlyMap<number, LogRecord | undefined>;
  readonly expiries: Iterable<ExpiryRecord & { readonly present: boolean }>;
  readonly meta: MetaRecord;
}

/**
 * The tables of an embedded store. Reads are synchronous and may already see a commit that is not yet published: the
 * store hides it by revision.
 */
export interface MvccTables {
  readMeta(): MetaRecord | undefined;
  readIndex(key: string): IndexRecord | undefined;
  /** At most `limit` records in key order. */
  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[];
  readLog(revision: number): LogRecord | undefined;
  /** The same with a lent value: it is valid until the next call of any method. */
  lendLog(revision: number): LogRecord | undefined;
  /**
   * The value of a key's version at exactly this revision, valid until the next call of any method. Undefined if there
   * is no such version, or it is a deletion. Absent if it costs no less than readLog.
   */
  lendValue?(key: string, revision: number): Uint8Array | undefined;
  /** At most `limit` records from `first` on, in revision order. */
  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[];
  /** At most `limit` records, earliest first. */
  scanExpiries(limit: number): readonly ExpiryRecord[];
  /**
   * Resolves when the writes are durable; never called during another commit. Throws KeyValueError: after NoSpace and
   * TooLarge nothing was written and the store continues, after any other error it must stop.
   */
  commit(writes: TableWrites): Promise<void>;
  /**
   * Resolves at a time when a removal of many records makes writes wait least. Absent if all are equal. Never rejects.
   */
  readyToRemove?(): Promise<void>;
  /** Called after large removals: a backend whose files do not shrink by themselves may rewrite them. */
  reclaim?(): void;
  /** Bytes on disk; 0 if unknown. Never throws: it is called between a commit and its response. */
  size?(): number;
  close(): Promise<void>;
}
