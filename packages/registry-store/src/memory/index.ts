export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './create-memory-store.js';
export { type SnapshotEntry, type StoreSnapshot, snapshotOf } from './memory-snapshot.js';
