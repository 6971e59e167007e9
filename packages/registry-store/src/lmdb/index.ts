export { type LmdbStoreOptions, openLmdbStore } from './open-lmdb-store.js';
