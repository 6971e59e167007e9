/** The newest version of a key. Deleted keys stay until compaction, so that reads of the past find their way. */
export interface IndexRecord {
  readonly revision: number;
  readonly deleted: boolean;
  /** Milliseconds since the epoch; 0: never. */
  readonly expiresAt: number;
  /** It does not match its checksum: nothing in it is to be believed, its revision included. */
  readonly damaged?: true;
}

/** One version of a key, found by its revision. */
export interface LogRecord {
  readonly key: string;
  /** Undefined: this version is the deletion. */
  readonly value: Uint8Array | undefined;
  /** Revision of the version before (a deletion counts as one); 0: none. */
  readonly previousRevision: number;
  /** It does not match its checksum: nothing in it is to be believed. */
  readonly damaged?: true;
}

export interface ExpiryRecord {
  readonly key: string;
  readonly expiresAt: number;
  /** What it was found by. Of a damaged record this is not what its key and time make. */
  readonly id?: Uint8Array;
}

/** State of the whole store. */
export interface MetaRecord {
  /** The newest revision given. */
  readonly revision: number;
  /** Reads below it are refused. */
  readonly compactedRevision: number;
  /** How far the compaction has got with removing; at most compactedRevision. */
  readonly prunedRevision: number;
  /** When the periodic compaction last ran and the revision of that moment, which the next run compacts to. */
  readonly tickTime: number;
  readonly tickRevision: number;
}

/** Writes that become durable together or not at all. */
export interface TableWrites {
  readonly index: ReadonlyMap<string, IndexRecord | undefined>;
  readonly log: ReadonlyMap<number, LogRecord | undefined>;
  readonly expiries: Iterable<ExpiryRecord & { readonly present: boolean }>;
  readonly meta: MetaRecord;
}

/**
 * What the embedded store keeps its state in. Reads are synchronous and may already see a commit that is not yet
 * published: the store above hides it by revision.
 */
export interface MvccTables {
  readMeta(): MetaRecord | undefined;
  readIndex(key: string): IndexRecord | undefined;
  /** At most `limit` records in key order. */
  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[];
  readLog(revision: number): LogRecord | undefined;
  /** The same, whose value is only lent: it is good until the next call of any method. */
  lendLog(revision: number): LogRecord | undefined;
  /**
   * What the version of a key at just this revision has, good until the next call of any method. Undefined: there is no such
   * version, or it is the deletion. Absent: it costs no less than readLog.
   */
  lendValue?(key: string, revision: number): Uint8Array | undefined;
  /** At most `limit` records from `first` on, in revision order. */
  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[];
  /** At most `limit` records, earliest first. */
  scanExpiries(limit: number): readonly ExpiryRecord[];
  /**
   * Resolves when the writes are durable; never called while another commit runs. Throws KeyValueError: after NoSpace
   * and TooLarge nothing was written and the store goes on, after anything else the store must stop.
   */
  commit(writes: TableWrites): Promise<void>;
  /** Told when much has been removed: a backend whose files do not get smaller by themselves may see to it. */
  reclaim?(): void;
  /** Bytes on disk; 0 when that cannot be told. Never throws: it is asked between a commit and its answer. */
  size?(): number;
  close(): Promise<void>;
}
