import { systemClock } from '@apiserver/apimachinery/clock';
import type { KeyValueStore } from '@apiserver/registry-store';
import { createEmbeddedStore, type EmbeddedStoreOptions } from '@apiserver/registry-store/mvcc';
import { SqliteTables } from './sqlite-tables.js';

/** Opens or creates the store in a SQLite file. Only one process may have it open. */
export function openSqliteStore(path: string, options: Partial<EmbeddedStoreOptions> = {}): KeyValueStore {
  return createEmbeddedStore(new SqliteTables(path), { ...options, clock: options.clock ?? systemClock });
}
