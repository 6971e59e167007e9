/** For backends in packages of their own: an embedded store over tables. */
export type { CompactionOptions } from './compactor.js';
export { createEmbeddedStore, type EmbeddedStoreOptions } from './embedded-store.js';
export type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from './tables.js';
