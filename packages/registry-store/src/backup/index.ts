export { type BackupOptions, type BackupResult, type BackupSummary, backUpStore } from './back-up-store.js';
export { BackupError, type BackupHead } from './backup-format.js';
export { BackupReader } from './backup-reader.js';
export { type RestoreOptions, restoreStore } from './restore-store.js';
export { type ReadSnapshot, readSnapshot, type SnapshotFile, writeSnapshot } from './snapshot-file.js';
