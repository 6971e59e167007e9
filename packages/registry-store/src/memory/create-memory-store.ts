import { type Clock, systemClock } from '@apiserver/apimachinery/clock';
import type { KeyValueStore } from '../key-value-store.js';
import type { CompactionOptions } from '../mvcc/compactor.js';
import { EmbeddedStore } from '../mvcc/embedded-store.js';
import { MemorySnapshot, memorySnapshotOf, type StoreSnapshot } from './memory-snapshot.js';
import { MemoryTables } from './memory-tables.js';

/** Clock, first state and compaction of the store. */
export interface MemoryStoreOptions extends CompactionOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** The state to begin with: a fork. Times to live continue on the clock of this store. Default: empty. */
  readonly from?: StoreSnapshot;
}

/** A store in memory, whose state can be kept and returned to. */
export interface MemoryStore extends KeyValueStore {
  /** Everything that was acknowledged before the call. It costs a microsecond per 256 keys, and later writes copy. */
  snapshot(): StoreSnapshot;
  /**
   * Returns to a snapshot of this or another store in one turn. Keys have the revisions and the remaining times to live
   * of the snapshot. The restore itself is a new revision, and everything before it counts as compacted.
   */
  restore(snapshot: StoreSnapshot): Promise<void>;
}

/** A KeyValueStore in memory: the semantics of the durable one without the disk. */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { clock = systemClock, from } = options;
  const tables = new MemoryTables();
  if (from !== undefined) tables.fill(memorySnapshot(from), clock.now());
  return new SnapshotStore(tables, { ...options, clock });
}

class SnapshotStore extends EmbeddedStore implements MemoryStore {
  readonly #tables: MemoryTables;
  readonly #clock: Clock;

  constructor(tables: MemoryTables, options: CompactionOptions & { readonly clock: Clock }) {
    super(tables, options);
    this.#tables = tables;
    this.#clock = options.clock;
  }

  snapshot(): StoreSnapshot {
    return this.#tables.snapshot(this.#clock.now());
  }

  async restore(snapshot: StoreSnapshot): Promise<void> {
    const from = memorySnapshot(snapshot);
    await this.replaceContents(() => this.#tables.replace(from, this.#clock.now()));
  }
}

/** Another copy of this package may have made the snapshot: then its entries are copied. */
function memorySnapshot(snapshot: StoreSnapshot): MemorySnapshot {
  if (snapshot instanceof MemorySnapshot) return snapshot;
  return memorySnapshotOf(snapshot.entries(), snapshot);
}
