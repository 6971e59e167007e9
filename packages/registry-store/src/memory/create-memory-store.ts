import { type Clock, systemClock } from '@apiserver/apimachinery/clock';
import type { KeyValueStore } from '../key-value-store.js';
import type { CompactionOptions } from '../mvcc/compactor.js';
import { createEmbeddedStore } from '../mvcc/embedded-store.js';
import { MemoryTables } from './memory-tables.js';

export interface MemoryStoreOptions extends CompactionOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A KeyValueStore in memory: the semantics of the durable one without the disk. */
export function createMemoryStore(options: MemoryStoreOptions = {}): KeyValueStore {
  return createEmbeddedStore(new MemoryTables(), { ...options, clock: options.clock ?? systemClock });
}
